"""The page of the demo: one page for all parts, verdict first."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.cli.outputs import write_whole
from harness.diagnose.page.page import DiagnosePageContent, render_diagnose_page
from harness.diagnose.page.section import Section, section_of
from harness.page.document import fragment
from harness.page.panels import TABLE_STYLE, Head, Panel, render_panels
from stallscope.host import read_host

INDEX = "index.html"


@dataclass(frozen=True, slots=True)
class DemoPart:
    """A part of the demo, with its panels. ``path``: its own page, None without one.

    ``id``: of its section; it is unique. ``headline``: the verdict in a few words, in the heading.
    """

    id: str
    title: str
    path: Path | None
    verdict: str
    panels: tuple[Panel, ...] = ()
    headline: str = ""


def write_demo_page(
    output: Path, parts: Sequence[DemoPart], diagnosis: DiagnosePageContent | None
) -> Path:
    """Return the path of the page with all parts.

    ``diagnosis``: of the server; None if it could not be recorded, which is the verdict of a part.
    """
    page = output / INDEX
    sections = tuple(section_of(part.id, part.title, part.panels) for part in parts if part.panels)
    if diagnosis is None:
        write_whole(page, [_page_of_panels(output, parts, sections)])
        return page
    content = replace(
        diagnosis,
        summary=_summary(output, parts),
        more=sections,
        verdict=_verdict(parts, diagnosis),
        recording_name=output.resolve().name,
    )
    write_whole(page, [render_diagnose_page(content)])
    return page


def _verdict(parts: Sequence[DemoPart], diagnosis: DiagnosePageContent) -> str:
    """Return the headlines of the parts, and what limits the server."""
    headlines = "".join(f"{part.headline}. " for part in parts if part.headline)
    return f"{headlines}The server with stages: {diagnosis.result.verdict}"


def _summary(output: Path, parts: Sequence[DemoPart]) -> Section:
    values = [
        {
            "title": part.title,
            "anchor": part.id if part.panels else "",
            "link": part.path and part.path.relative_to(output).as_posix(),
            "verdict": part.verdict,
        }
        for part in parts
    ]
    return Section("pages", "Parts", fragment("harness.demo/summary.html", parts=values))


def _page_of_panels(output: Path, parts: Sequence[DemoPart], sections: Sequence[Section]) -> str:
    """Return the page without a diagnosis."""
    host = read_host()
    facts = {"host": host.hostname, "CPU": host.cpu_model, "kernel": host.kernel_release}
    head = Head(
        title="stallscope demo",
        recording_name=output.resolve().name,
        about=f"{len(parts)} measurements",
        source="each with its verdict",
    )
    summary = Panel(_summary(output, parts).markup, (TABLE_STYLE,))
    # The sections' own elements have the prefixed ids; the link of the summary needs the plain one.
    panels = [
        Panel(
            fragment("harness.demo/part.html", id=section.id, markup=section.markup),
            section.styles,
        )
        for section in sections
    ]
    return render_panels([summary, *panels], head, facts)
