"""The page around panels of sleep states."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.cli.outputs import write_whole
from harness.page.panels import Head, Panel, render_panels
from harness.page.tables import TABLE_STYLES

_SUBJECT = "sleep states"


def write_page(
    path: Path, panels: Sequence[str], *, title: str, source: str, host: Mapping[str, str]
) -> None:
    """Write a page with the markup of panels."""
    head = Head(title, "", _SUBJECT, source, _SUBJECT)
    styled = [Panel("".join(panels), [TABLE_STYLES])]
    write_whole(path, [render_panels(styled, head, host)])
