"""The findings for a terminal: the verdict, then each finding with its evidence."""

from collections.abc import Iterator

from harness.cli.terminal import percent, printable, wrapped
from harness.diagnose.result import DiagnoseResult, Finding, FindingEvidence, MeasuredSource
from stallscope.quantities import value_text

_INDENT = "   "
_HANGING = " " * 13


def lines(result: DiagnoseResult, width: int) -> Iterator[str]:
    """Yield all lines."""
    yield from wrapped(printable(result.verdict), width)
    for number, finding in enumerate(result.findings, 1):
        yield ""
        yield from _finding_lines(finding, number, width)
    if result.functions:
        yield ""
        yield "Hottest functions, share of CPU time without the functions that they call:"
        for function in result.functions:
            line = f"  {printable(function.line)}" if function.line else ""
            yield f"  {percent(function.self_share):>7}  {printable(function.name)}{line}"
    yield ""
    known = [source for source in result.sources if source.kind != "unavailable"]
    if known:
        rows = "; ".join(_source(source) for source in known)
        yield from wrapped(printable(f"Recorded: {rows}"), width, _INDENT)
    for row in result.not_judged:
        text = f"Not judged: {', '.join(row.causes)}: {row.reason}. {row.remedy}"
        yield from wrapped(printable(text), width, _INDENT)
    for warning in result.warnings:
        yield from wrapped(f"Warning: {printable(warning)}", width, _INDENT)
    if result.overhead_share is not None:
        yield f"recorder      {percent(result.overhead_share)} of the target's CPU time"
    yield f"recording     {printable(result.recording)}"
    if result.report is not None:
        yield f"page          {printable(result.report)}"


def _finding_lines(finding: Finding, number: int, width: int) -> Iterator[str]:
    yield from wrapped(f"{number}. {printable(finding.sentence)}", width, _INDENT)
    gain = ""
    if finding.largest_gain is not None:
        gain = f"; without it at most {finding.largest_gain:.1f} times faster"
    cost = f"{percent(finding.cost_share)} of the wall time of working threads{gain}"
    yield from _row("costs", cost, width)
    yield from _row("confidence", percent(finding.confidence), width)
    for evidence in finding.evidence:
        yield from _row(
            "evidence", f"{evidence.name}: {_value(evidence)} ({evidence.source})", width
        )
    for place in finding.where:
        yield from _row("where", f"{place.kind} {place.name}", width)
    for text in finding.try_:
        yield from _row("try", text, width)
    yield from _row("check", finding.check, width)


def _source(source: MeasuredSource) -> str:
    kind = f"{source.kind}, " if source.kind != "measured" else ""
    return f"{source.name} ({kind}{source.detail})"


def _row(title: str, text: str, width: int) -> Iterator[str]:
    yield from wrapped(f"{_INDENT}{title:<10} {printable(text)}", width, _HANGING)


def _value(evidence: FindingEvidence) -> str:
    text = amount_text(evidence.value, evidence.unit)
    interval = interval_text(evidence)
    return f"{text} {interval}" if interval else text


def interval_text(evidence: FindingEvidence) -> str:
    """Return the 95 % interval in brackets; empty if the value is exact, or it is not known."""
    low, high = evidence.low, evidence.high
    if low is None or high is None or low == high:
        return ""
    return f"[{amount_text(low, evidence.unit)}, {amount_text(high, evidence.unit)}]"


def amount_text(value: float, unit: str) -> str:
    """Return a value of evidence with its unit."""
    if unit == "share":
        return percent(value)
    if unit == "us":
        return value_text(round(value * 1000), "ns")
    if unit == "kHz":
        return f"{value / 1e6:.2f} GHz"
    if unit != "ns" and value < 100 and value != round(value):
        return f"{value:.1f} {unit}"
    return value_text(round(value), unit)
