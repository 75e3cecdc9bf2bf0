"""A profile for the terminal: source, losses, functions and threads."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.brief import document_text
from harness.cli.terminal import (
    colours,
    pad,
    percent,
    printable,
    shorten,
    width,
    wrapped,
)
from harness.profile.module_text import module_lines
from harness.profile.python_text import python_text
from harness.profile.result import (
    LocatedEvent,
    ProfileResult,
    ProfileSource,
    profile_result,
)
from harness.profile.runtime_text import runtime_text
from harness.profile.stacks_text import MIN_CAVEAT_SHARE, recording_text, remedies, shares_text
from harness.profile.time_text import time_lines
from stallscope.documents import UNSET, UnsetType
from topdown.waits.weight import OFF_CPU_TIME

if TYPE_CHECKING:
    from harness.profile.analysis import Analysis

_INDENT = " " * 11


def show(
    analysis: "Analysis",
    *,
    recording: Path,
    report: Path | None,
    top: int,
    as_json: bool,
    located: tuple[LocatedEvent, ...] | None = None,
) -> None:
    """Print the summary, or the result as one line of JSON.

    ``report``: path of the page, None without a page. ``located``: None if not requested.
    """
    if as_json:
        result = profile_result(analysis, recording=recording, report=report, located=located)
        click.echo(document_text(result))
        return
    result = profile_result(analysis, recording=recording, report=report, located=located, top=top)
    click.echo(
        summary_text(result, counted_lines=_counted_lines(analysis, top), top=top), color=colours()
    )


def _counted_lines(analysis: "Analysis", top: int) -> tuple[list[str], list[str]]:
    """Return the caveats and the table of counts by function; empty without counts."""
    if analysis.slots is None:
        return [], []
    from harness.profile.counted import caveats  # noqa: PLC0415 - only with counters
    from harness.profile.slots_text import table  # noqa: PLC0415

    return caveats(analysis.slots), table(analysis.slots, analysis.profile.functions, top)


def summary_text(
    result: ProfileResult,
    *,
    counted_lines: tuple[list[str], list[str]] = ([], []),
    top: int = 15,
) -> str:
    """Return the summary; ``counted_lines``: caveats and table of counts by function."""
    caveats, counted_table = counted_lines
    lines = [_heading(result)]
    for label, text in _facts(result):
        lines += _labelled(label, text)
    lines += [*_caveats(result, caveats), "", *_functions(result)]
    lines += module_lines(result)
    if counted_table:
        lines += ["", *counted_table]
    lines += ["", *_threads(result)]
    lines += time_lines(result, top)
    lines += ["", f"recording  {printable(result.recording)}"]
    if result.report is not None:
        lines.append(f"page       {printable(result.report)}")
    if not isinstance(result.located, UnsetType):
        lines += ["", *located_lines(result.located)]
    return "\n".join(lines)


def _heading(result: ProfileResult) -> str:
    title = click.style(printable(result.title), bold=True)
    duration = (
        "in an unknown time" if result.duration_s is None else f"in {result.duration_s:.1f} s"
    )
    return f"{title}: {result.samples:,} samples {duration}"


def _facts(result: ProfileResult) -> list[tuple[str, str]]:
    """Return label and text of the facts that qualify the numbers."""
    source = result.source
    facts = [
        ("source", f"{source.event} {_rate(source)}, {source.kind}, {source.scope}"),
        ("lost", _lost_text(result)),
        ("unknown", f"{_percent(result.unknown_share)} of the time has no symbol"),
    ]
    if text := recording_text(result.stacks):
        facts.append(("stacks", text))
    facts.append(("whole", shares_text(result.stacks)))
    if result.python is not None:
        facts.append(("python", python_text(result.python)))
    facts += [
        ("runtime", runtime_text(runtime))
        for runtime in result.runtimes
        if runtime.name != "cpython"
    ]
    return facts


def _labelled(label: str, text: str) -> list[str]:
    """Return the label and the text, wrapped at the width of the terminal."""
    lines = wrapped(text, max(20, width() - len(_INDENT)))
    heads = [label.ljust(len(_INDENT)), *[_INDENT] * (len(lines) - 1)]
    return [head + line for head, line in zip(heads, lines, strict=True)]


def _rate(source: ProfileSource) -> str:
    if source.event == OFF_CPU_TIME:
        return "at every context switch"
    if source.frequency_hz:
        return f"at {source.frequency_hz:,} Hz"
    return f"every {source.period:,} {source.unit}" if source.period else "at an unknown rate"


def _lost_text(result: ProfileResult) -> str:
    if result.lost is None:
        return "n/a: the file does not say how many samples were lost"
    total = result.samples + result.lost
    return f"{result.lost:,} ({_percent(result.lost / total if total else None)})"


def _percent(share: float | None) -> str:
    return "n/a" if share is None else percent(share)


def _caveats(result: ProfileResult, counted_caveats: list[str]) -> list[str]:
    texts = [warning.message for warning in result.warnings] + counted_caveats
    if (result.truncated_share or 0.0) > MIN_CAVEAT_SHARE:
        texts.append(
            "Stacks are truncated: self shares are correct, totals and callers are lower bounds. "
            + " ".join(remedies(result.stacks))
        )
    lines = [line for text in texts for line in _labelled("", text)]
    if lines:
        lines[0] = click.style("caution", fg="yellow") + lines[0][len("caution") :]
    return lines


def _functions(result: ProfileResult) -> list[str]:
    room = max(20, width() - 20)
    module_width = min(28, room // 3)
    name_width = room - module_width
    lines = [click.style(f"{'self':>7}  {'total':>7}  function", bold=True)]
    for function in result.functions:
        name = shorten(printable(function.name), name_width)
        module = shorten(printable(Path(function.module).name or function.module), module_width)
        lines.append(
            f"{_percent(function.self_share):>7}  {_percent(function.total_share):>7}  "
            f"{pad(name, name_width)} {click.style(module, dim=True)}"
        )
        lines += [
            f"{'':18}  {shorten(printable(line.line), room - 18)}  {line.samples:,} samples"
            for line in (() if function.lines is UNSET else function.lines)[:3]
        ]
    return lines + _more(result.functions_omitted, 18)


def _threads(result: ProfileResult) -> list[str]:
    lines = [click.style(f"{'share':>7}  thread", bold=True)]
    for thread in result.threads:
        name = printable(thread.name or "(no name)")
        process = "" if thread.tid == thread.pid else f" of {printable(thread.process)}"
        lines.append(f"{_percent(thread.share):>7}  {name} ({thread.tid}){process}")
    return lines + _more(result.threads_omitted, 9)


def _more(omitted: int | UnsetType, indent: int) -> list[str]:
    return [] if omitted is UNSET else [f"{'':{indent}}and {omitted:,} more"]


def located_lines(events: tuple[LocatedEvent, ...]) -> list[str]:
    """Return each event with the functions and lines that have most of its samples."""
    if not events:
        return ["no node above its threshold has an event that locates it"]
    lines = []
    for event in events:
        heading = f"{event.node}: {event.event}"
        if not event.functions:
            lines.append(f"{heading}: {event.unavailable or 'no samples'}")
            continue
        lines.append(click.style(f"{heading}, {event.samples:,} samples", bold=True))
        for function in event.functions:
            name = shorten(printable(function.name), max(20, width() - 12))
            lines.append(f"{percent(function.self_share):>9}  {name}")
            lines += [
                f"{'':9}    {shorten(printable(line.line), max(20, width() - 30))}  "
                f"{line.samples:,} samples"
                for line in function.lines[:3]
            ]
    return lines
