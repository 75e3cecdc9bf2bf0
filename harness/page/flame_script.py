"""The script of the flame view: its source files, joined in one scope."""

from collections.abc import Sequence

from harness.page.source_files import sources

_FOLDER = "harness.page"
# In the order of their dependencies.
_VIEW = (
    "dom.js",
    "decode.js",
    "figures.js",
    "names.js",
    "slots.js",
    "colours.js",
    "marks.js",
    "totals.js",
    "inlining.js",
    "search.js",
    "frames.js",
    "graph.js",
    "view.js",
    "describe.js",
    "legend.js",
    "table.js",
    "detail.js",
    "threads.js",
    "thread_table.js",
    "period.js",
    "picture.js",
    "keyboard.js",
    "controls.js",
    "page.js",
    "timings.js",
)


def flame_script(start: Sequence[tuple[str, str]] = ((_FOLDER, "flame_view/start.js"),)) -> str:
    """Return the script; ``start``: packages and names of the files that open the view."""
    view = sources(_FOLDER, (f"flame_view/{name}" for name in _VIEW))
    parts = [view, *(sources(package, (name,)) for package, name in start)]
    return "\n".join(["(() => {", '"use strict";', *parts, "})();"])
