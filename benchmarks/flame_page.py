"""The flame page of 100,000 distinct stacks: its size, and the time to open and search it.

The profile is generated from a fixed seed: random walks over a call graph as deep and as skewed as
those of large C++ services. The page itself times opening, from the start of the document to the
first frame on the screen, and searching, from the input event to the frame that shows the matches.
Every round uses a fresh browser.
"""

import tempfile
import time
from pathlib import Path

import numpy as np
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from benchmarks import chromium
from benchmarks.cases import Case, ours
from harness.profile.page import render_page
from topdown.stacks.profile import Function, FunctionKind, Profile, SampleSource, Thread

STACKS, ROUNDS = 100_000, 7
BOUNDS = {
    "page MiB": ours(at_most=5),
    "open, ms": ours(at_most=1000),
    "search, ms": ours(at_most=1000),
}
# Other actions of a reader, as changes of the view's state, timed until the frame that shows them
CHANGES = {
    "clear_ms": "{query: ''}",
    "zoom_ms": "{zoom: stallscope.view.rows[8][0].node}",
    "unzoom_ms": "{zoom: 0}",
    "filter_ms": "{shown: new Uint8Array(stallscope.view.profile.threads.length).fill(1, 0, 9)}",
    "by_name_ms": "{byName: true}",
    "select_ms": "{selected: 1}",
    "search_long_ms": "{query: 'query::exec'}",
    "hide_inlined_ms": "{inlined: false}",
    "show_inlined_ms": "{inlined: true}",
    "light_kind_ms": "{query: 'kind:kernel'}",
}
CHANGE = """
const done = arguments[0], began = performance.now();
stallscope.view.update(%s);
requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
"""
NAMESPACES = ("storage", "net", "query::plan", "query::exec", "index", "cache", "raft", "std")
WORDS = ("read", "write", "merge", "apply", "lookup", "insert", "flush", "parse", "encode", "visit")


def made_profile(n_stacks: int, n_functions: int = 20_000, n_threads: int = 200) -> Profile:
    """Return a profile of ``n_stacks`` distinct stacks; the same sizes give the same profile."""
    rng = np.random.default_rng(20261120)
    functions = [Function("all", "", FunctionKind.ROOT)]
    for number in range(1, n_functions):
        space, word = NAMESPACES[number % 8], WORDS[(number // 8) % 10]
        name = f"{space}::{word}_{number:x}(std::span<std::byte const>, unsigned long)"
        functions.append(Function(name, f"/usr/lib/lib{space[:3]}.so", FunctionKind(number % 4)))
    callees = 1 + (rng.zipf(1.3, (n_functions, 12)) * 7919 + np.arange(n_functions)[:, None]) % (
        n_functions - 1
    )
    depths = rng.integers(12, 60, size=16 * n_stacks)
    parents, owners = [-1], [0]
    children: dict[tuple[int, int], int] = {}
    leaves: set[int] = set()
    for depth in depths.tolist():
        if len(leaves) == n_stacks:
            break
        node = 0
        for pick in np.minimum(rng.geometric(0.8, depth) - 1, 11).tolist():
            callee = int(callees[owners[node], pick])
            child = children.get((node, callee))
            if child is None:
                child = children[node, callee] = len(parents)
                parents.append(node)
                owners.append(callee)
            node = child
        leaves.add(node)
    nodes = np.fromiter(sorted(leaves), dtype=np.int32)
    samples = np.minimum(rng.zipf(1.8, len(nodes)), 100_000).astype(np.int64)
    return Profile(
        source=SampleSource("cycles", "measured", "cycles", 999, None, "user+kernel"),
        title=f"{len(nodes):,} distinct stacks",
        samples=int(samples.sum()),
        lost=0,
        duration_s=600.0,
        functions=tuple(functions),
        threads=tuple(
            Thread(1, tid, "service", f"worker-{tid}") for tid in range(1, n_threads + 1)
        ),
        node_parent=np.array(parents, dtype=np.int32),
        node_function=np.array(owners, dtype=np.int32),
        weight_node=nodes,
        weight_thread=rng.integers(0, n_threads, len(nodes), dtype=np.int32),
        weight_samples=samples,
        weight_value=samples * 2_500_000 + rng.integers(0, 100_000, len(nodes)),
        unknown_share=0.02,
        truncated_share=0.01,
    )


def measured_round(page: Path) -> dict[str, float]:
    """Return the times of one fresh browser, in milliseconds."""
    with chromium.started("1600,1000") as browser:
        browser.get(page.as_uri())
        wait = WebDriverWait(browser, 60, poll_frequency=0.05)
        wait.until(lambda b: b.execute_script("return document.documentElement.dataset.ready"))
        browser.find_element(By.ID, "search").send_keys("m")
        wait.until(lambda b: b.execute_script("return stallscope.timings.search_ms"))
        times = dict(browser.execute_script("return stallscope.timings"))
        del times["update_ms"], times["began_ms"]
        for name, change in CHANGES.items():
            times[name] = browser.execute_async_script(CHANGE % change)
        return times


def run() -> list[Case]:
    """Measure the page's size, its rendering, and its opening and searching in fresh browsers."""
    profile = made_profile(STACKS)
    started = time.process_time()
    text = render_page(profile, recording_name="made", host={})
    rendering_s = time.process_time() - started
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "flame.html")
        page.write_text(text, encoding="utf-8")
        rounds = [measured_round(page) for _ in range(ROUNDS)]
    readings: dict[str, list[float]] = {
        "page MiB": [len(text.encode()) / 2**20],
        "rendering, CPU s": [rendering_s],
    }
    for key in rounds[0]:
        name = key.removesuffix("_ms").replace("_", " ")
        readings[f"{name}, ms"] = [times_ms[key] for times_ms in rounds]
    return [
        Case(
            name=f"{len(profile.weight_node):,} stacks, {len(profile.node_parent):,} nodes",
            metric=metric,
            ours_command="the page in headless Chromium",
            bar=(BOUNDS[metric],) if metric in BOUNDS else (),
            ours=tuple(values),
            exact=metric == "page MiB",
        )
        for metric, values in readings.items()
    ]
