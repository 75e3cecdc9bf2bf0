// Opens the page and records the time it took.

async function start() {
  const began = performance.now();
  timings.began_ms = began;
  performance.mark("stallscope-start");
  const profile = await decodeProfile(JSON.parse(byId("profile").textContent));
  timings.decode_ms = performance.now() - began;
  byId("profile").remove();
  document.documentElement.classList.add("js");
  const page = new Page(profile);
  page.open();
  timings.script_ms = performance.now() - began;
  afterPaint(() => {
    performance.mark("stallscope-painted");
    const [navigation] = performance.getEntriesByType("navigation");
    timings.open_ms = performance.now() - (navigation?.domInteractive ?? began);
    timings.navigation_ms = performance.now();
    document.documentElement.dataset.ready = "true";
  });
  Object.defineProperty(window, "stallscope", { value: Object.freeze({ timings, view: page.view, shortName }) });
}

start().catch((error) => {
  const failure = byId("failure");
  failure.textContent = `The graph cannot be shown: ${error.message}.`;
  failure.hidden = false;
});
