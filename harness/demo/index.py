"""The index page of the demo: a link to every page, with its verdict."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.cli.outputs import write_whole
from harness.page.document import fragment
from harness.page.panels import Head, Panel, render_panels
from stallscope.host import read_host

INDEX = "index.html"


@dataclass(frozen=True, slots=True)
class DemoPage:
    """A page of the demo; ``path`` is None if it could not be written."""

    title: str
    path: Path | None
    verdict: str


def write_index(output: Path, pages: Sequence[DemoPage]) -> Path:
    """Return the path of the index page, which is written into the demo's directory."""
    host = read_host()
    facts = {"host": host.hostname, "CPU": host.cpu_model, "kernel": host.kernel_release}
    head = Head(
        title="stallscope demo",
        recording_name=output.resolve().name,
        about=f"{len(pages)} measurements",
        source="each with its verdict and its page",
    )
    index = output / INDEX
    values = [
        {
            "title": page.title,
            "link": page.path and page.path.relative_to(output).as_posix(),
            "verdict": page.verdict,
        }
        for page in pages
    ]
    markup = fragment("harness.demo/index.html", pages=values)
    write_whole(index, [render_panels([Panel(markup, ())], head, facts)])
    return index
