"""The static part of the flame page: key figures, notices and tables, as markup."""

import math

from harness.page.document import escaped
from harness.page.flame_table import Cell, table
from harness.profile.result import StacksResult
from harness.profile.stacks_text import remedies
from stallscope.printable import visible_text
from stallscope.quantities import share_text, value_text
from topdown.stacks.flame.names import function_text
from topdown.stacks.profile import FunctionKind, Profile
from topdown.stacks.ranking import Ranking

FUNCTIONS_SHOWN = 60
THREADS_SHOWN = 60
_NAME_LIMIT = 300

# From these shares on, a notice explains their effect on the graph.
TRUNCATED_NOTICE_FROM = 0.10
UNKNOWN_NOTICE_FROM = 0.10

KIND_TEXT = {
    FunctionKind.USER: "user",
    FunctionKind.KERNEL: "kernel",
    FunctionKind.INLINED: "inlined",
    FunctionKind.PYTHON: "Python",
    FunctionKind.UNKNOWN: "no symbol",
}


def source_line(profile: Profile) -> str:
    """Return the source of the numbers as one line of markup."""
    source = profile.source
    if source.frequency_hz is not None:
        rate = f"{source.frequency_hz:,} Hz"
    elif source.period is not None:
        rate = f"every {value_text(source.period, source.unit)}"
    else:
        rate = "rate not known"
    parts = [source.kind, rate, source.scope]
    return f"<b>{escaped(visible_text(source.event, 80))}</b> \u00b7 " + " \u00b7 ".join(
        escaped(visible_text(part, 80)) for part in parts
    )


def figures(profile: Profile, total_value: int) -> str:
    """Return the key figures as terms and definitions."""
    taken = profile.samples + profile.lost
    lost_share = profile.lost / taken if taken else 0.0
    lost = f"{profile.lost:,}" + (f" ({share_text(lost_share)})" if profile.lost else "")
    weight = "CPU time sampled" if profile.source.unit == "ns" else "Sampled"
    rows = [
        (weight, value_text(total_value, profile.source.unit), ""),
        ("Recorded for", _duration(profile.duration_s), ""),
        ("Samples", f"{profile.samples:,}", ""),
        ("Threads", f"{len(profile.threads):,}", ""),
        ("Lost samples", lost, "is-bad" if profile.lost else ""),
        ("Without symbol", share_text(profile.unknown_share), _css_class(profile.unknown_share)),
        (
            "Truncated stacks",
            share_text(profile.truncated_share),
            _css_class(profile.truncated_share),
        ),
    ]
    return "".join(
        f'<div class="{css_class}"><dt>{escaped(term)}</dt><dd>{escaped(text)}</dd></div>'
        for term, text, css_class in rows
    )


def _duration(duration_s: float) -> str:
    return value_text(round(duration_s * 1e9), "ns") if math.isfinite(duration_s) else "not known"


def _css_class(share: float) -> str:
    return "of-note" if math.isnan(share) or share >= UNKNOWN_NOTICE_FROM else ""


def _notice(css_class: str, lead: str, text: str) -> str:
    return f'<li class="notice {css_class}"><b>{escaped(lead)}</b> {escaped(text)}</li>'


def notices(profile: Profile, stacks: StacksResult) -> str:
    """Return notices about the numbers, the max_self important first; empty if there are none."""
    items = []
    if profile.samples == 0:
        items.append(_notice("notice-bad", "No samples.", "Nothing ran on a CPU while recording."))
    if profile.source.kind != "measured":
        kind = visible_text(profile.source.kind, 40)
        items.append(_notice("notice-bad", f"These numbers are {kind},", "not measured."))
    if profile.lost:
        share = share_text(profile.lost / (profile.samples + profile.lost))
        text = "The kernel dropped them while buffers were full: that time is under-counted."
        items.append(_notice("notice-bad", f"{profile.lost:,} samples lost ({share}).", text))
    if profile.truncated_share >= TRUNCATED_NOTICE_FROM:
        text = (
            "They are at the right, above striped frames that name the reason: self times are "
            "correct, totals of outer functions are too low."
        )
        text = " ".join([text, *remedies(stacks)])
        lead = f"{share_text(profile.truncated_share)} of the stacks are truncated."
        items.append(_notice("", lead, visible_text(text, 1200)))
    if profile.unknown_share >= UNKNOWN_NOTICE_FROM:
        text = (
            "It is named module+offset, in grey. Debug symbols of these modules, or a JIT map for "
            "generated code, provide the names."
        )
        lead = f"{share_text(profile.unknown_share)} of the time is in code without symbols."
        items.append(_notice("", lead, text))
    items += _warnings(profile)
    return f'<ul class="notices">{"".join(items)}</ul>' if items else ""


def _warnings(profile: Profile) -> list[str]:
    """Return the profile's warnings as one notice; several form a list."""
    messages = [visible_text(warning.message, 600) for warning in profile.warnings]
    if len(messages) < 2:
        return [_notice("", "Note:", message) for message in messages]
    lines = "".join(f"<li>{escaped(message)}</li>" for message in messages)
    return [f'<li class="notice"><b>Notes</b><ul>{lines}</ul></li>']


def functions_table(profile: Profile, ranking: Ranking) -> tuple[str, str]:
    """Return the hottest functions as a table, and a hint with their number."""
    whole, unit = max(1, ranking.value), profile.source.unit
    shown = [row for row in ranking.functions[:FUNCTIONS_SHOWN] if row.total_value > 0]
    max_self = max([1, *(row.self_value for row in shown)])
    rows = []
    for row in shown:
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
    if any(profile.functions[row.index].kind == FunctionKind.INLINED for row in shown):
        order += "; inlined functions are separate"
    return table(head, rows), _hint(len(rows), len(ranking.functions), "function", order)


def threads_table(profile: Profile, ranking: Ranking) -> tuple[str, str]:
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
    head = [Cell("Share", "number"), Cell("CPU" if unit == "ns" else "Value", "number")]
    head += [Cell("Samples", "number"), Cell("Thread"), Cell("tid", "number")]
    head += [Cell("Process"), Cell("pid", "number")]
    return table(head, rows), _hint(len(rows), len(ranking.threads), "thread", "hottest first")


def _hint(shown: int, total: int, noun: str, order: str) -> str:
    if total == 1:
        return f"1 {noun}"
    part = f"{shown:,} of " if shown != total else ""
    return f"{part}{total:,} {noun}s, {order}"
