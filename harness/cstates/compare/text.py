"""A comparison of settings for a terminal."""

from collections.abc import Iterator
from statistics import median

from harness.cli.table import columns
from harness.cli.terminal import printable, wrapped
from harness.cstates.compare.conclusions import p_text, share_text
from harness.cstates.compare.metrics import METRICS, base_and_connections
from harness.cstates.compare.result import ComparedLoad, ComparedSetting, CStatesCompareResult

HEADS = ("Setting", "n", "Median", "Interval", "Delta", "p", "p (Holm)")
ROW_HEADS = (
    "Connections",
    "n",
    "Before",
    "Interval",
    "n",
    "After",
    "Interval",
    "Delta",
    "p",
    "p (Holm)",
)
ENTRY_HEADS = ("Setting", "Entries in each run, median (least to most)")


def lines(result: CStatesCompareResult, width: int) -> Iterator[str]:
    """Yield a table for each metric, the state entries, the conclusions and the notes."""
    subject = "the loader and server" if result.load else result.command[0]
    yield from wrapped(
        f"{printable(subject)} under {len(result.settings)} settings in shuffled order, every "
        f"second round reversed; rounds: {result.rounds}. All settings were restored after each "
        "run.",
        width,
    )
    if result.load:
        yield from wrapped(load_text(result.load), width)
    if result.load and len(result.load.connections) > 1:
        yield from _before_and_after(result)
    else:
        for metric in result.settings[0].metrics:
            yield ""
            yield f"{METRICS[metric].text}:"
            rows = [_cells(result, setting, metric) for setting in result.settings]
            yield from (f"  {line}" for line in columns([HEADS, *rows]))
    yield ""
    rows = [(printable(setting.name), _entries_text(setting)) for setting in result.settings]
    yield from (f"  {line}" for line in columns([ENTRY_HEADS, *rows]))
    yield ""
    yield from wrapped(
        f"Others (programs and the host) used {share_text(result.others_share)} of these CPUs' "
        "time.",
        width,
        "  ",
    )
    for text in result.not_shown:
        yield from wrapped(printable(f"Cannot be shown here: {text}."), width, "  ")
    for text in result.conclusions:
        yield from wrapped(printable(text), width, "  ")
    for text in result.notes:
        yield from wrapped(printable(f"Note: {text}"), width, "  ")


def load_text(load: ComparedLoad) -> str:
    """Return the load of every run, with its warm-up."""
    loop = (
        "a closed loop (each reply triggers the next request)"
        if load.rate_per_s is None
        else f"an open loop of {load.rate_per_s:,.0f} requests per second"
    )
    chain = "loader, front end and server" if load.processes == 3 else "loader and server"
    counts = ", ".join(map(str, load.connections))
    return (
        f"Each run: {load.seconds:g} s of {loop} after {load.warmup_s:g} s of warm-up, which is "
        f"not measured; {load.processes} processes ({chain}); connections: {counts}."
    )


def _before_and_after(result: CStatesCompareResult) -> Iterator[str]:
    """Yield a table for each metric and setting, with a row for each number of connections."""
    baseline = result.settings[0]
    by_name: dict[str, list[str]] = {}
    for name in baseline.metrics:
        by_name.setdefault(base_and_connections(name)[0], []).append(name)
    for base, names in by_name.items():
        for setting in result.settings[1:]:
            yield ""
            yield f"{METRICS[base].text}: before: {baseline.name}; after: {printable(setting.name)}"
            rows = [_row(result, setting, name) for name in names]
            yield from (f"  {line}" for line in columns([ROW_HEADS, *rows]))


def _row(result: CStatesCompareResult, setting: ComparedSetting, name: str) -> tuple[str, ...]:
    """Return the cells of one number of connections: before, after, and their difference."""
    before = _cells(result, result.settings[0], name)[1:4]
    after = _cells(result, setting, name)[1:]
    return (str(base_and_connections(name)[1]), *before, *after)


def _cells(result: CStatesCompareResult, setting: ComparedSetting, name: str) -> tuple[str, ...]:
    metric, factor = setting.metrics[name], METRICS[base_and_connections(name)[0]].factor
    if metric.median is None or metric.low is None or metric.high is None:
        return (printable(setting.name), "0", *["n/a"] * (len(HEADS) - 2))
    interval = f"{_number(metric.low * factor)} to {_number(metric.high * factor)}"
    cells = (
        printable(setting.name),
        str(len(metric.values)),
        _number(metric.median * factor),
        interval,
    )
    if metric.shown is None:
        return (*cells, "", "", "")
    delta = "n/a" if metric.delta_share is None else f"{metric.delta_share * 100:+.1f} %"
    if setting.name == result.control:
        return (*cells, delta, p_text(metric.p), "")
    star = "*" if metric.shown else ""
    return (*cells, delta, p_text(metric.p), p_text(metric.p_holm) + star)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _entries_text(setting: ComparedSetting) -> str:
    names = dict.fromkeys(name for entries in setting.entries for name in entries)
    parts = []
    for name in names:
        counts = [entries[name] for entries in setting.entries if name in entries]
        parts.append(f"{name} {median(counts):,.0f} ({min(counts):,} to {max(counts):,})")
    return printable(", ".join(parts) or "n/a")
