"""The page of a disk's measurements."""

from collections.abc import Mapping, Sequence

from harness.page.panels import Head, Panel, render_panels


def render_io_page(
    panels: Sequence[Panel],
    *,
    title: str,
    recording_name: str,
    source: str,
    facts: Mapping[str, str],
) -> str:
    """Return the page, to be written as UTF-8; every text but markup is taken for a stranger's."""
    return render_panels(panels, Head(title, recording_name, "disk", source, "disk"), facts)
