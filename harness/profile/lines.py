"""Source lines of a profile with their samples, for editors."""

from typing import TYPE_CHECKING

from stallscope.documents import Count, Record, Share
from topdown.stacks.profile import FunctionKind, SourceLineCounts

if TYPE_CHECKING:
    from harness.profile.analysis import Analysis

_NATIVE = (FunctionKind.USER, FunctionKind.INLINED)


class SourceLine(Record, frozen=True, kw_only=True):
    """A source line for an editor; shares are of all samples.

    ``total_*``: with what the line calls, each stack counted once; None if callers are not known by
    line. ``cause``: the slot node that dominates its function, None without counters (--slots).
    """

    file: str
    line: Count
    function: str
    module: str
    self_samples: Count
    total_samples: Count | None
    self_share: Share
    total_share: Share | None
    cause: str | None


def lines_of_profile(analysis: "Analysis") -> tuple[SourceLine, ...]:
    """Return the lines, those with most samples first.

    Lines of interpreted and managed code are counted by their innermost frame only.
    """
    profile = analysis.profile
    rows: list[tuple[SourceLineCounts, bool]] = [(row, True) for row in profile.lines]
    for ranked in analysis.ranking.functions if _may_have_lines(analysis) else ():
        function = profile.functions[ranked.index]
        if function.kind not in _NATIVE:
            rows += [
                (SourceLineCounts(line, function.name, function.module, samples, 0), False)
                for line, samples in function.lines
            ]
    rows.sort(key=lambda pair: (-pair[0].self_samples, -pair[0].total_samples, pair[0].line))
    causes = _causes(analysis)
    return tuple(
        _line(row, profile.samples, causes.get((row.function, row.module)), has_total=has_total)
        for row, has_total in rows
    )


def _may_have_lines(analysis: "Analysis") -> bool:
    return bool(analysis.profile.lines or analysis.python or analysis.runtimes)


def _causes(analysis: "Analysis") -> dict[tuple[str, str], str]:
    """Return the dominating slot node by function; empty without counters."""
    if analysis.slots is None:
        return {}
    from harness.profile.counted import counted_result  # noqa: PLC0415 - only with counters

    counted = counted_result(analysis.slots, analysis.profile.functions)
    return {(row.name, row.module): row.dominating for row in counted.functions if row.dominating}


def _line(row: SourceLineCounts, samples: int, cause: str | None, *, has_total: bool) -> SourceLine:
    path, _, number = row.line.rpartition(":")
    return SourceLine(
        file=path or row.line,
        line=int(number) if number.isdecimal() else 0,
        function=row.function,
        module=row.module,
        self_samples=row.self_samples,
        total_samples=row.total_samples if has_total else None,
        self_share=_share(row.self_samples, samples),
        total_share=_share(row.total_samples, samples) if has_total else None,
        cause=cause,
    )


def _share(part: int, whole: int) -> float:
    return min(1.0, part / whole) if whole else 0.0
