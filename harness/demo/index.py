"""The index page of the demo: a link to every page, with its verdict."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.cli.outputs import write_whole
from harness.page.document import escaped
from harness.page.panels import Head, Panel, render_panels
from stallscope.host import read_host
from stallscope.printable import visible_text

INDEX = "index.html"
_MAX_VERDICT = 500


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
    rows = "".join(_row(output, page) for page in pages)
    markup = (
        '<section class="panel" id="pages" aria-labelledby="pages-title">'
        '<div class="panel-head"><h2 id="pages-title">Pages</h2></div>'
        '<div class="scroll"><table><thead><tr><th scope="col">page</th>'
        f'<th scope="col">verdict</th></tr></thead><tbody>{rows}</tbody></table></div></section>'
    )
    write_whole(index, [render_panels([Panel(markup, ())], head, facts)])
    return index


def _row(output: Path, page: DemoPage) -> str:
    title = escaped(visible_text(page.title, _MAX_VERDICT))
    if page.path is not None:
        target = escaped(page.path.relative_to(output).as_posix())
        title = f'<a href="{target}">{title}</a>'
    verdict = escaped(visible_text(page.verdict, _MAX_VERDICT))
    return f'<tr><th scope="row">{title}</th><td class="wrap">{verdict}</td></tr>'
