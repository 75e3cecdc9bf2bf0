"""The history as text and as GitHub annotations."""

import time
from collections.abc import Iterator

from harness.bench.history.result import BenchmarkSeries, HistoryResult, SeriesChange
from stallscope.benchmark_text.units import ScaleTable, has_binary_prefixes
from stallscope.printable import printable

_LEVELS = {"worse": "error", "better": "notice"}
_GITHUB_ESCAPES = {"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"}


def lines(result: HistoryResult, width: int) -> Iterator[str]:
    """Yield a line for each change; the first bad run of each worse series comes at the end."""
    del width
    changed = [series for series in result.series if series.changes]
    yield (
        f"runs: {result.runs}, series: {len(result.series)}, with changes: {len(changed)}"
        + (f"; added {printable(result.added)}" if result.added else "")
    )
    for series in changed:
        yield ""
        yield f"{printable(series.name)} {printable(series.unit)} ({series.runs} runs)"
        for change in series.changes:
            yield f"  {change_text(series, change)}"
    worse = [series for series in changed if series.is_worse]
    if worse:
        yield ""
    for series in worse:
        yield f"first bad run of {printable(series.name)} {printable(series.unit)}: " + printable(
            series.changes[-1].label
        )
    for warning in (*result.warnings, *(f"not read: {problem}" for problem in result.problems)):
        yield f"warning: {printable(warning)}"


def change_text(series: BenchmarkSeries, change: SeriesChange) -> str:
    """Return a change with its run, its medians and its p-value."""
    scales = ScaleTable(binary=has_binary_prefixes(series.unit))
    sizes = [abs(value) for value in (change.before, change.after) if value]
    scale = scales.scale_of(min(sizes, default=0.0))
    delta = "" if change.delta is None else f" ({100 * change.delta:+.1f} %)"
    when = time.strftime("%Y-%m-%d %H:%M", time.gmtime(min(change.time_s, 4e9)))
    return (
        f"{change.direction} from {printable(change.label)} ({when}): "
        f"{scale.text(change.before)} -> {scale.text(change.after)}{delta}, p = {change.p:.1g}"
    )


def github_lines(result: HistoryResult) -> Iterator[str]:
    """Yield a workflow command for the last change of each series, and for what was not read."""
    for series in result.series:
        if series.changes:
            change = series.changes[-1]
            level = _LEVELS.get(change.direction, "warning")
            title = _github(f"{series.name} {series.unit}")
            yield f"::{level} title={title}::{_github_text(change_text(series, change))}"
    for problem in result.problems:
        yield f"::warning title=stallscope bench history::{_github_text(problem)}"


def _github(text: str) -> str:
    return "".join(_GITHUB_ESCAPES.get(character, character) for character in printable(text))


def _github_text(text: str) -> str:
    return printable(text).replace("%", "%25")
