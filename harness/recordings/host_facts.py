"""The host of a recording, as labels and texts for a page."""

from datetime import UTC, datetime

from stallscope.recordings import Manifest


def host_facts(manifest: Manifest) -> dict[str, str]:
    """Return texts by label; a text is empty if the recording does not have it."""
    return {
        "host": manifest.host_name,
        "CPU": manifest.cpu_model,
        "kernel": manifest.kernel_release,
        "recorded": _date_text(manifest.start_realtime_ns),
    }


def _date_text(realtime_ns: int | None) -> str:
    """Return a time of the wall clock; empty if it is unknown or out of the calendar's range."""
    if realtime_ns is None:
        return ""
    try:
        recorded = datetime.fromtimestamp(realtime_ns // 10**9, UTC)
    except (OverflowError, ValueError):
        return ""
    return recorded.strftime("%Y-%m-%d %H:%M UTC")
