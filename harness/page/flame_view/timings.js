// Times of opening and updating the page.

const timings = {};

/** Calls back once the next frame has been handed to the screen. */
function afterPaint(callback) {
  requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      callback();
    };
    channel.port2.postMessage(null);
  });
}
