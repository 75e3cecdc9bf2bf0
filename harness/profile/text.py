"""What `stallscope profile` says: the summary for people and the document for scripts."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.terminal import colours, percent, printable, shorten, width, wrapped
from harness.profile.located import document as located_document
from harness.profile.located import text as located_text
from harness.profile.python_text import python_document, python_text
from harness.profile.slots_text import cautions as slots_cautions
from harness.profile.slots_text import document as slots_document
from harness.profile.slots_text import table as slots_table
from harness.profile.whole_stacks import (
    TELLING_SHARE,
    choice_text,
    remedies,
    shares_text,
    stacks_document,
)
from topdown.stacks.profile import Function, Profile, Source
from topdown.stacks.ranking import Ranking

if TYPE_CHECKING:
    from harness.profile.analysis import Analysis
    from harness.profile.located import Located

SCHEMA = "stallscope.profile/1"
_INDENT = " " * 11


@dataclass(frozen=True, slots=True)
class Places:
    """Where the results lie."""

    recording: Path
    report: Path | None


def show(
    analysis: "Analysis",
    places: Places,
    *,
    top: int,
    as_json: bool,
    located: "tuple[Located, ...] | None" = None,
) -> None:
    """Print the summary, or the document: one line of JSON.

    ``located``: what was found on flagged slots, None if that was not asked for.
    """
    if as_json:
        document = summary_document(analysis, places)
        if located is not None:
            document["located"] = located_document(located)
        click.echo(json.dumps(document, allow_nan=False))
        return
    click.echo(summary_text(analysis, places, top), color=colours())
    if located is not None:
        click.echo("\n".join(["", *located_text(located)]), color=colours())


def summary_document(analysis: "Analysis", places: Places) -> dict[str, object]:
    """Return the JSON document of a profile, schema ``stallscope.profile/1``.

    Shares are 0..1 of the weight sampled; null is what is not known: shares where nothing was
    sampled, the duration where samples carry no time.
    """
    profile, ranking = analysis.profile, analysis.ranking
    source = profile.source
    return {
        "schema": SCHEMA,
        "source": {
            "event": source.event,
            "kind": source.kind,
            "unit": source.unit,
            "scope": source.scope,
            "frequency_hz": source.frequency_hz,
            "period": source.period,
        },
        "title": profile.title,
        "duration_s": _number(profile.duration_s),
        "samples": profile.samples,
        "lost": profile.lost,
        "unknown_share": _number(profile.unknown_share),
        "truncated_share": _number(profile.truncated_share),
        "stacks": stacks_document(profile.stack_shares, analysis.stacks),
        "python": python_document(analysis.python),
        "counted": slots_document(analysis.slots, profile.functions),
        "functions": [
            {
                "name": profile.functions[row.index].name,
                "module": profile.functions[row.index].module,
                "kind": profile.functions[row.index].kind.name.lower(),
                "self_share": _share(row.self_value, ranking.value),
                "total_share": _share(row.total_value, ranking.value),
                "self_samples": row.self_samples,
                **_lines(profile.functions[row.index]),
            }
            for row in ranking.functions
        ],
        "threads": [
            {
                "pid": profile.threads[row.index].pid,
                "tid": profile.threads[row.index].tid,
                "process": profile.threads[row.index].process_name,
                "name": profile.threads[row.index].thread_name,
                "share": _share(row.value, ranking.value),
                "samples": row.samples,
                "value": row.value,
            }
            for row in ranking.threads
        ],
        "warnings": [
            {"code": warning.code, "message": warning.message} for warning in profile.warnings
        ],
        "recording": str(places.recording),
        "report": None if places.report is None else str(places.report),
    }


def _lines(function: Function) -> dict[str, object]:
    if not function.lines:
        return {}
    return {"lines": [{"line": line, "samples": samples} for line, samples in function.lines]}


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def summary_text(analysis: "Analysis", places: Places, top: int) -> str:
    """Return the summary for a terminal: source, losses, functions, threads, where the page is."""
    profile, ranking = analysis.profile, analysis.ranking
    parts = [_heading(profile)]
    for label, text in _facts(analysis):
        parts += _hanging(label.ljust(len(_INDENT)), text)
    parts += [*_cautions(analysis), "", *_functions(profile, ranking, top)]
    if analysis.slots is not None:
        parts += ["", *slots_table(analysis.slots, profile.functions, top)]
    parts += ["", *_threads(profile, ranking, top)]
    parts += ["", f"recording  {printable(str(places.recording))}"]
    if places.report is not None:
        parts.append(f"page       {printable(str(places.report))}")
    return "\n".join(parts)


def _heading(profile: Profile) -> str:
    where = click.style(printable(profile.title), bold=True)
    known = math.isfinite(profile.duration_s)
    lasting = f"in {profile.duration_s:.1f} s" if known else "in a time that is not recorded"
    return f"{where}: {profile.samples:,} samples {lasting}"


def _facts(analysis: "Analysis") -> list[tuple[str, str]]:
    """Return what the numbers rest on, each with its label, in the order in which it is told."""
    profile = analysis.profile
    source = profile.source
    facts = [
        ("source", f"{source.event} {_rate(source)}, {source.kind}, {source.scope}"),
        ("lost", f"{profile.lost:,} ({percent(_lost_share(profile))})"),
        ("unknown", f"{percent(profile.unknown_share)} of the time has no symbol"),
    ]
    if analysis.stacks is not None:
        facts.append(("stacks", choice_text(analysis.stacks)))
    facts.append(("whole", shares_text(profile.stack_shares)))
    if analysis.python is not None and (text := python_text(analysis.python)):
        facts.append(("python", text))
    return facts


def _hanging(label: str, text: str) -> list[str]:
    """Return the text in lines behind its label, as wide as the terminal."""
    lines = wrapped(text, max(20, width() - len(_INDENT)))
    return [(label if number == 0 else _INDENT) + line for number, line in enumerate(lines)]


def _rate(source: Source) -> str:
    if source.frequency_hz:
        return f"at {source.frequency_hz:,} Hz"
    return f"every {source.period:,} {source.unit}" if source.period else "at a rate not recorded"


def _lost_share(profile: Profile) -> float:
    whole = profile.samples + profile.lost
    return profile.lost / whole if whole else float("nan")


def _cautions(analysis: "Analysis") -> list[str]:
    profile = analysis.profile
    cautions = [warning.message for warning in profile.warnings]
    cautions += slots_cautions(analysis.slots) if analysis.slots is not None else []
    if profile.truncated_share > TELLING_SHARE:
        cautions.append(
            "Stacks are cut short: self shares hold, totals and callers are lower bounds. "
            + " ".join(remedies(profile.stack_shares, analysis.stacks))
        )
    lines = [line for text in cautions for line in _hanging(_INDENT, text)]
    if lines:
        lines[0] = click.style("caution", fg="yellow") + lines[0][len("caution") :]
    return lines


def _functions(profile: Profile, ranking: Ranking, top: int) -> list[str]:
    room = max(20, width() - 20)
    module_room = min(28, room // 3)
    lines = [click.style(f"{'self':>7}  {'total':>7}  function", bold=True)]
    for row in ranking.functions[:top]:
        function = profile.functions[row.index]
        name = shorten(printable(function.name), room - module_room)
        module = shorten(printable(Path(function.module).name or function.module), module_room)
        shares = (_share(row.self_value, ranking.value), _share(row.total_value, ranking.value))
        self_text, total_text = (percent(float("nan") if s is None else s) for s in shares)
        lines.append(
            f"{self_text:>7}  {total_text:>7}  "
            f"{name.ljust(room - module_room)} {click.style(module, dim=True)}"
        )
        lines += [
            f"{'':18}  {shorten(printable(line), room - 18)}  {samples:,} samples"
            for line, samples in function.lines[:3]
        ]
    rest = len(ranking.functions) - top
    return lines + ([f"{'':18}and {rest:,} more"] if rest > 0 else [])


def _threads(profile: Profile, ranking: Ranking, top: int) -> list[str]:
    lines = [click.style(f"{'share':>7}  thread", bold=True)]
    for row in ranking.threads[:top]:
        thread = profile.threads[row.index]
        share = _share(row.value, ranking.value)
        name = printable(thread.thread_name or "(no name)")
        of_process = "" if thread.tid == thread.pid else f" of {printable(thread.process_name)}"
        text = percent(float("nan") if share is None else share)
        lines.append(f"{text:>7}  {name} ({thread.tid}){of_process}")
    rest = len(ranking.threads) - top
    return lines + ([f"{'':9}and {rest:,} more"] if rest > 0 else [])
