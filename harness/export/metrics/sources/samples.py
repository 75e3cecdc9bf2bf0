"""Metrics of a profile: CPU time or events by function and thread, losses and unknown shares."""

from typing import TYPE_CHECKING

from harness.export.metrics.metric import MetricFamily, MetricKind, MetricTable
from stallscope.recordings import Recording

if TYPE_CHECKING:
    from topdown.stacks.profile import Profile
    from topdown.stacks.ranking import Ranking

SAMPLES = MetricFamily("profile_samples", "Samples in the recording.")
LOST = MetricFamily("profile_lost_samples", "Samples that were lost.")
UNKNOWN = MetricFamily(
    "profile_unknown_ratio",
    "Share of the weight in functions without a name, 0..1.",
    MetricKind.GAUGE,
    "1",
)
TRUNCATED = MetricFamily(
    "profile_truncated_ratio",
    "Share of the weight in truncated stacks, 0..1.",
    MetricKind.GAUGE,
    "1",
)
CPU = MetricFamily("profile_cpu_seconds", "Sampled CPU time.", unit="s")
EVENTS = MetricFamily("profile_events", "Sampled events, as the sum of the periods.")
THREAD = ("by thread name of a process", "thread")
SELF = ("of the function itself", "function_self")
TOTAL = ("of the function and its callees", "function_total")


def add_samples(table: MetricTable, recording: Recording, top: int) -> None:
    """Add the metrics of the samples, with the ``top`` functions and threads."""
    from harness.profile.analysis import analyze  # noqa: PLC0415 - of one kind only

    analysis = analyze(recording)
    add_profile(table, analysis.profile, analysis.ranking, top)


def add_profile(table: MetricTable, profile: "Profile", ranking: "Ranking", top: int) -> None:
    """Add the metrics of a profile. A value is in seconds only if the weight is a time."""
    event = profile.source.event
    is_time = profile.source.unit == "ns"
    factor = 1e-9 if is_time else 1.0
    table.add(SAMPLES, profile.samples, event=event)
    table.add(LOST, profile.lost, event=event)
    table.add(UNKNOWN, profile.unknown_share, event=event)
    table.add(TRUNCATED, profile.truncated_share, event=event)
    table.add(CPU if is_time else EVENTS, ranking.value * factor, event=event)
    for thread_row in ranking.threads[:top]:
        thread = profile.threads[thread_row.index]
        table.add(
            _part(THREAD, is_time=is_time),
            thread_row.value * factor,
            event=event,
            process=thread.process_name,
            thread=thread.thread_name,
        )
    for row in ranking.functions[:top]:
        function = profile.functions[row.index]
        labels = {
            "event": event,
            "function": function.name,
            "module": function.module,
            "kind": function.kind.name.lower(),
        }
        table.add(_part(SELF, is_time=is_time), row.self_value * factor, **labels)
        table.add(_part(TOTAL, is_time=is_time), row.total_value * factor, **labels)
    table.note_left_out("threads", len(ranking.threads) - top)
    table.note_left_out("functions", len(ranking.functions) - top)


def _part(part: tuple[str, str], *, is_time: bool) -> MetricFamily:
    text, name = part
    if is_time:
        return MetricFamily(f"{name}_cpu_seconds", f"Sampled CPU time {text}.", unit="s")
    return MetricFamily(f"{name}_events", f"Sampled events {text}.")
