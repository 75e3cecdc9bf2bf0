"""docs/benchmarks.md, made from the raw pairs."""

from benchmarks.pairs import (
    Case,
    Interval,
    differences,
    median_interval,
    ratios,
    sessions,
)
from harness.recordings.settings_text import settings_facts

INTRODUCTION = """# Benchmarks

Made by `./dev bench` from the raw pairs in `benchmarks/raw/`; do not edit. Ours and the peer run
alternately in one session; a row shows the median of each, and the median of the pairs' ratios or
differences with its bootstrap interval of 95 %. These machines are shared and noisy: compare rows
of one session only.
"""


def document() -> str:
    """Return the whole page."""
    parts = [INTRODUCTION]
    for session in sessions():
        parts.append(
            f"\n## {session.benchmark}\n\n{session.date}; {session.host}; `{session.command}`\n"
        )
        # Points and percents are compared by difference, all else by ratio.
        for by_difference in (False, True):
            cases = [case for case in session.cases if _by_difference(case) == by_difference]
            if cases:
                parts.append(_table(cases, by_difference=by_difference))
        parts += sorted({f"\n- {case.name}: {case.notes}" for case in session.cases if case.notes})
        commands = {(case.ours_command, case.peer_command): None for case in session.cases}
        parts += [f"\n- `{ours}` against `{peer}`" for ours, peer in commands if peer]
        if session.settings is not None:
            facts = settings_facts(session.settings)
            parts += [f"\n- {label}: {text}" for label, text in facts.items()]
        parts.append("\n")
    return "".join(parts)


def _by_difference(case: Case) -> bool:
    return "points" in case.metric or "percent" in case.metric


def _table(cases: list[Case], *, by_difference: bool) -> str:
    compared = "ours - peer" if by_difference else "ours / peer"
    rows = [
        f"\n| case | metric | ours | peer | {compared} | n | bar |\n",
        "|---|---|---|---|---|---|---|\n",
    ]
    for case in cases:
        if not case.peer:
            rows.append(
                f"| {case.name} | {case.metric} | {_spread(case.ours)} | none | | "
                f"{len(case.ours)} | {case.bar} |\n"
            )
            continue
        interval = median_interval(differences(case) if by_difference else ratios(case))
        rows.append(
            f"| {case.name} | {case.metric} | {_spread(case.ours)} | {_spread(case.peer)} "
            f"| {_interval(interval)} | {len(case.ours)} | {case.bar} |\n"
        )
    return "".join(rows)


def _interval(interval: Interval) -> str:
    return f"{interval.median:.3g} ({interval.low:.3g} to {interval.high:.3g})"


def _spread(values: tuple[float, ...]) -> str:
    middle = median_interval(list(values)).median
    return f"{middle:.3g} ({min(values):.3g} to {max(values):.3g})"
