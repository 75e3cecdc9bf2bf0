"""The result of `stallscope bench gate` for a terminal."""

from collections.abc import Iterator

from harness.bench.gate.result import GateResult, PercentChange
from harness.cli.terminal import wrapped


def lines(result: GateResult, room: int) -> Iterator[str]:
    """Yield the verdict and what it rests on, for ``room`` columns."""
    yield verdict_text(result)
    yield ""
    for label, text in facts(result):
        yield from wrapped(f"{label:18} {text}", room, " " * 19)
    for warning in result.warnings:
        yield from wrapped(f"warning: {warning}", room, "  ")


def verdict_text(result: GateResult) -> str:
    """Return the verdict with the rule that it answers."""
    interrupted = "" if result.complete else ", interrupted"
    return f"{result.verdict} (measured, {result.rule}{interrupted})"


def facts(result: GateResult) -> list[tuple[str, str]]:
    """Return label and text of what the verdict rests on."""
    rows = {
        "head against base": _change_text(result.change),
        "noise floor (A/A)": _change_text(result.noise_floor),
        "false alarms": _rate_text(result),
        "spread of a run": _percent(result.run_spread_percent),
        "blocks": f"{len(result.blocks)} of base, base again and head in random order, "
        f"{result.stages} of 2 stages, seed {result.seed}",
        "power": _power_text(result),
        "placement": result.placement.text,
    }
    return list(rows.items())


def _change_text(change: PercentChange) -> str:
    low = "?" if change.low is None else f"{change.low:+.2f}"
    high = "?" if change.high is None else f"{change.high:+.2f}"
    if change.percent is None:
        return "not measured"
    return f"{change.percent:+.2f} % ({low} to {high} %, n = {change.n})"


def _rate_text(result: GateResult) -> str:
    held = (
        "the control shows no difference: the rate held"
        if result.rate_held
        else "the control shows a difference of base to itself: the rate is not sure"
    )
    return f"nominal {100 * result.nominal_rate:g} %; {held} (p = {result.control_p:.3f})"


def _power_text(result: GateResult) -> str:
    if result.power is None:
        return "unavailable: it needs at least 6 blocks, or 6 builds of each side"
    if result.builds > 1:
        sizes = f"{result.change.n} builds"
        needed = "more than 100" if result.builds_needed is None else f"{result.builds_needed}"
    else:
        sizes = f"{result.blocks_per_stage} blocks a stage"
        needed = "more than 200" if result.blocks_needed is None else f"{result.blocks_needed}"
    return (
        f"{result.power:.0%} to show that a slowdown of {result.threshold_percent:g} % is above "
        f"0 with {sizes}; 80 % needs {needed}"
    )


def _percent(value: float | None) -> str:
    return "unknown: at least 6 blocks are needed" if value is None else f"{value:.2f} %"
