"""The page of a recording of disk measurements."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from harness.cli.outputs import write_whole
from harness.io.recording import PAGE
from harness.page.panels import Head, Panel, render_panels
from harness.recordings.host_facts import host_facts
from harness.recordings.settings import recorded_facts
from stallscope.recordings import MANIFEST, read_manifest


class Titled(Protocol):
    """What a page needs to know of a result."""

    @property
    def title(self) -> str:
        """Return the subject of the measurement."""

    @property
    def source(self) -> str:
        """Return "measured" or "modelled"."""


def write_page(
    folder: Path, sections: Sequence[tuple[Titled, Sequence[Panel]]], output: Path | None = None
) -> Path:
    """Return the path of the page, which is in the recording unless ``output`` names a file."""
    manifest = read_manifest(folder / MANIFEST)
    head = Head(
        title="; ".join(result.title for result, _ in sections),
        recording_name=folder.resolve().name,
        about="disk",
        source=", ".join(dict.fromkeys(result.source for result, _ in sections)),
        tab="disk",
    )
    page = output or folder / PAGE
    facts = {label: text for label, text in host_facts(manifest).items() if text}
    panels = [panel for _, section in sections for panel in section]
    write_whole(page, [render_panels(panels, head, facts | recorded_facts(folder))])
    return page
