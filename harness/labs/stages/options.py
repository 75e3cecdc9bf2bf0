"""From the stages lab's command line to its options, every value checked."""

from datetime import datetime
from pathlib import Path
from typing import Any

from harness.labs.stages.plan import Load, StagesOptions
from stallscope.errors import UsageError

_MOST_LOADS = 9
_MOST_PERCENT = 200


def stages_options(values: dict[str, Any], loads: str) -> StagesOptions:
    """Return the options; raises UsageError for what makes no sense."""
    codec_only = [name for name in ("footprint_kb", "stage_kb") if values[name] is not None]
    if codec_only and values["path"] != "codec":
        raise UsageError(
            f"--{codec_only[0].replace('_', '-')} is of generated code, and path {values['path']} "
            "has none",
            "leave it out, or add --path codec",
        )
    output = values.pop("output") or _default_output(values["path"])
    return StagesOptions(output=output, loads=open_loads(loads), **values)


def open_loads(text: str) -> tuple[Load, ...]:
    """Return the loads that a list of percents names, ascending; none of an empty text."""
    words = [word.strip() for word in text.split(",")] if text.strip() else []
    percents = [int(word) for word in words if word.isascii() and word.isdecimal()]
    wrong = len(percents) < len(words) or len(words) > _MOST_LOADS
    if wrong or not all(1 <= percent <= _MOST_PERCENT for percent in percents):
        raise UsageError(
            f"--loads: {text[:80]!r} is no list of percents from 1 to {_MOST_PERCENT}",
            "write it as 30,60,90",
        )
    return tuple(Load(percent / 100) for percent in sorted(set(percents)))


def _default_output(path: str) -> Path:
    return Path(f"stallscope-stages-{path}-{datetime.now().astimezone():%Y%m%d-%H%M%S}")
