"""The page around panels of sleep states."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from markupsafe import Markup

from harness.cli.outputs import write_whole
from harness.page.panels import TABLE_STYLE, Head, Panel, render_panels

_SUBJECT = "sleep states"


def write_page(
    path: Path, panels: Sequence[Markup], *, title: str, source: str, host: Mapping[str, str]
) -> None:
    """Write a page of panels."""
    head = Head(title, "", _SUBJECT, source, _SUBJECT)
    styled = [Panel(panel, (TABLE_STYLE,)) for panel in panels]
    write_whole(path, [render_panels(styled, head, host)])
