"""Periods that differ, wakers and idle pools of a profile, for the terminal."""

import click

from harness.cli.terminal import pad, percent, printable, shorten, width
from harness.profile.result import ProfileResult
from stallscope.documents import UnsetType
from stallscope.quantities import count_text, value_text


def time_lines(result: ProfileResult, top: int) -> list[str]:
    """Return the lines; each part begins with an empty line and is left out if it is empty."""
    return [*_periods(result), *_wakers(result, top), *_pools(result)]


def _periods(result: ProfileResult) -> list[str]:
    if not result.periods:
        return []
    lines = ["", click.style("periods that differ from the rest", bold=True)]
    for period in result.periods:
        name = shorten(printable(period.function), max(20, width() - 60))
        lines.append(
            f"  {period.begin_s:.2f} s to {period.end_s:.2f} s  {name}: "
            f"{percent(period.inside_share)} of samples, {percent(period.overall_share)} overall"
        )
    return lines


def _wakers(result: ProfileResult, top: int) -> list[str]:
    if isinstance(result.wakers, UnsetType) or not result.wakers:
        return []
    room = max(40, width() - 10)
    lines = ["", click.style(f"{'time':>9}  thread, functions, ended by", bold=True)]
    for row in result.wakers[:top]:
        place = printable(" \u2190 ".join(row.functions[:2])) or "not recorded"
        text = f"{printable(row.thread)} in {place}, ended by {printable(row.waker)}"
        if row.waker_functions:
            text += " in " + printable(" \u2190 ".join(row.waker_functions[:2]))
        lines.append(f"{value_text(row.wait_ns, 'ns'):>9}  {shorten(text, room)}")
    return lines


def _pools(result: ProfileResult) -> list[str]:
    if isinstance(result.idle_pools, UnsetType) or not result.idle_pools:
        return []
    rule = result.idle_pools[0].rule
    lines = ["", click.style("idle pools, left out", bold=True)]
    lines += [
        f"  {pad(printable(row.name), 20)} {count_text(row.threads, 'thread')}"
        for row in result.idle_pools
    ]
    return [*lines, f"  rule: {rule}"]
