"""The static part of the flame page: key figures, notices and tables."""

import math

from markupsafe import Markup
from msgspec import Struct

from harness.page.flame_table import Cell, table
from harness.profile.result import StacksResult
from harness.profile.stacks_text import remedies
from stallscope.printable import visible_text
from stallscope.quantities import share_text, value_text
from topdown.stacks.flame.names import function_text
from topdown.stacks.profile import FunctionKind, Profile
from topdown.stacks.ranking import Ranking
from topdown.waits.weight import OFF_CPU_TIME, WALL_TIME

FUNCTIONS_SHOWN = 60
THREADS_SHOWN = 60
_NAME_LIMIT = 300
_WEIGHT_TERMS = {WALL_TIME: "Wall time", OFF_CPU_TIME: "Time off the CPU"}

# From these shares on, a notice explains their effect on the graph.
TRUNCATED_NOTICE_FROM = 0.10
UNKNOWN_NOTICE_FROM = 0.10

KIND_TEXT = {
    FunctionKind.USER: "user",
    FunctionKind.KERNEL: "kernel",
    FunctionKind.INLINED: "inlined",
    FunctionKind.PYTHON: "Python",
    FunctionKind.JAVASCRIPT: "JavaScript",
    FunctionKind.JAVA: "Java",
    FunctionKind.RUBY: "Ruby",
    FunctionKind.PHP: "PHP",
    FunctionKind.UNKNOWN: "no symbol",
}


class SourceLine(Struct, frozen=True):
    """The source of the numbers: the event, and what is known about its sampling."""

    event: str
    parts: tuple[str, ...]


class KeyFigure(Struct, frozen=True):
    """A key figure of the page's head; ``style`` is a CSS class."""

    term: str
    text: str
    style: str = ""


class PageNotice(Struct, frozen=True):
    """A notice about the numbers: its lead, its text, and further texts as a list."""

    lead: str
    text: str = ""
    items: tuple[str, ...] = ()
    style: str = ""


def source_line(profile: Profile) -> SourceLine:
    """Return the source of the numbers."""
    source = profile.source
    if source.event == OFF_CPU_TIME:
        rate = "every context switch"
    elif source.frequency_hz is not None:
        rate = f"{source.frequency_hz:,} Hz"
    elif source.period is not None:
        rate = f"every {value_text(source.period, source.unit)}"
    else:
        rate = "rate not known"
    return SourceLine(source.event, (source.kind, rate, source.scope))


def figures(profile: Profile, total_value: int) -> list[KeyFigure]:
    """Return the key figures."""
    weight = _WEIGHT_TERMS.get(profile.source.event)
    if weight is None:
        weight = "CPU time sampled" if profile.source.unit == "ns" else "Sampled"
    return [
        KeyFigure(weight, value_text(total_value, profile.source.unit)),
        KeyFigure("Recorded for", _duration(profile.duration_s)),
        KeyFigure("Samples", f"{profile.samples:,}"),
        KeyFigure("Threads", f"{len(profile.threads):,}"),
        _lost_figure(profile),
        _share_figure("Without symbol", profile.unknown_share),
        _share_figure("Truncated stacks", profile.truncated_share),
    ]


def _lost_figure(profile: Profile) -> KeyFigure:
    if profile.lost is None:
        return KeyFigure("Lost samples", "not known", "of-note")
    if not profile.lost:
        return KeyFigure("Lost samples", "0")
    share = share_text(profile.lost / (profile.samples + profile.lost))
    return KeyFigure("Lost samples", f"{profile.lost:,} ({share})", "is-bad")


def _duration(duration_s: float) -> str:
    return value_text(round(duration_s * 1e9), "ns") if math.isfinite(duration_s) else "not known"


def _share_figure(term: str, share: float) -> KeyFigure:
    is_notable = math.isnan(share) or share >= UNKNOWN_NOTICE_FROM
    return KeyFigure(term, share_text(share), "of-note" if is_notable else "")


def notices(profile: Profile, stacks: StacksResult) -> list[PageNotice]:
    """Return notices about the numbers, the most important first."""
    entries = []
    if profile.samples == 0:
        text = "Nothing ran on a CPU while recording."
        entries.append(PageNotice("No samples.", text, style="notice-bad"))
    if profile.source.kind != "measured":
        kind = visible_text(profile.source.kind, 40)
        entries.append(
            PageNotice(f"These numbers are {kind},", "not measured.", style="notice-bad")
        )
    if profile.lost:
        share = share_text(profile.lost / (profile.samples + profile.lost))
        text = "The kernel dropped them while buffers were full: that time is under-counted."
        lead = f"{profile.lost:,} samples lost ({share})."
        entries.append(PageNotice(lead, text, style="notice-bad"))
    if profile.truncated_share >= TRUNCATED_NOTICE_FROM:
        text = (
            "They are at the right, above striped frames that name the reason: self times are "
            "correct, totals of outer functions are too low."
        )
        lead = f"{share_text(profile.truncated_share)} of the stacks are truncated."
        entries.append(PageNotice(lead, " ".join([text, *remedies(stacks)])))
    if profile.unknown_share >= UNKNOWN_NOTICE_FROM:
        text = (
            "It is named module+offset, in grey. Debug symbols of these modules, or a JIT map for "
            "generated code, provide the names."
        )
        lead = f"{share_text(profile.unknown_share)} of the time is in code without symbols."
        entries.append(PageNotice(lead, text))
    return entries + _warnings(profile)


def _warnings(profile: Profile) -> list[PageNotice]:
    """Return the profile's warnings as one notice; several form a list."""
    messages = tuple(visible_text(warning.message, 600) for warning in profile.warnings)
    if len(messages) > 1:
        return [PageNotice("Notes", items=messages)]
    return [PageNotice("Note:", message) for message in messages]


def functions_table(profile: Profile, ranking: Ranking) -> tuple[Markup, str]:
    """Return the hottest functions as a table, and a hint with their number."""
    whole, unit = max(1, ranking.value), profile.source.unit
    functions = [row for row in ranking.functions[:FUNCTIONS_SHOWN] if row.total_value > 0]
    max_self = max([1, *(row.self_value for row in functions)])
    rows = []
    for row in functions:
        function = profile.functions[row.index]
        rows.append(
            (
                Cell(share_text(row.self_value / whole), "number", row.self_value / max_self),
                Cell(share_text(row.total_value / whole), "number"),
                Cell(value_text(row.self_value, unit), "number"),
                Cell(function_text(function.name, _NAME_LIMIT), "name"),
                Cell(visible_text(function.module, _NAME_LIMIT), "module"),
                Cell(KIND_TEXT.get(function.kind, ""), "soft"),
            )
        )
    self_head = "Self time" if unit == "ns" else "Self value"
    head = [Cell("Self", "number"), Cell("Total", "number"), Cell(self_head, "number")]
    head += [Cell("Function"), Cell("Module"), Cell("Kind")]
    order = "by self"
    if any(profile.functions[row.index].kind == FunctionKind.INLINED for row in functions):
        order += "; inlined functions are separate"
    return table(head, rows), _hint(len(rows), len(ranking.functions), "function", order)


def threads_table(profile: Profile, ranking: Ranking) -> tuple[Markup, str]:
    """Return the hottest threads as a table, and a hint with their number."""
    whole, unit = max(1, ranking.value), profile.source.unit
    rows = []
    for row in ranking.threads[:THREADS_SHOWN]:
        thread = profile.threads[row.index]
        rows.append(
            (
                Cell(share_text(row.value / whole), "number", row.value / whole),
                Cell(value_text(row.value, unit), "number"),
                Cell(f"{row.samples:,}", "number soft"),
                Cell(visible_text(thread.thread_name, 64), "name"),
                Cell(str(thread.tid), "number soft"),
                Cell(visible_text(thread.process_name, 64), "module"),
                Cell(str(thread.pid), "number soft"),
            )
        )
    head = [Cell("Share", "number"), Cell(_time_head(profile), "number")]
    head += [Cell("Samples", "number"), Cell("Thread"), Cell("tid", "number")]
    head += [Cell("Process"), Cell("pid", "number")]
    return table(head, rows), _hint(len(rows), len(ranking.threads), "thread", "hottest first")


def _time_head(profile: Profile) -> str:
    if profile.source.unit != "ns":
        return "Value"
    return "Time" if profile.source.event in _WEIGHT_TERMS else "CPU"


def _hint(shown: int, total: int, noun: str, order: str) -> str:
    if total == 1:
        return f"1 {noun}"
    part = f"{shown:,} of " if shown != total else ""
    return f"{part}{total:,} {noun}s, {order}"
