"""Counting of slots for `stallscope topdown`."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING

from harness.cli.target_status import exit_code, explain
from harness.recordings.settings import keep_settings
from harness.recordings.settings_text import settings_now
from harness.topdown.interval_follower import IntervalFollower, OnSlice
from harness.topdown.options import TopdownOptions
from harness.topdown.run_outputs import command_output, live_progress, recording_directory
from stallscope.collector import CollectionEnd, CollectorProgress, CountOptions, collect
from stallscope.recordings import open_recording
from stallscope.system_files import Roots
from topdown.slots.measurement import Measurement

if TYPE_CHECKING:
    from topdown.slots.counting import session

Collect = Callable[
    [CountOptions, Callable[[CollectorProgress], None], IO[str] | None], CollectionEnd
]


@dataclass(frozen=True, slots=True)
class CountingBackend:
    """The machine's files and the program that counts."""

    roots: Roots = field(default_factory=Roots)
    collect: Collect = collect


def count_slots(
    options: TopdownOptions, on_slice: OnSlice, backend: CountingBackend
) -> tuple[Measurement, int]:
    """Return the measurement by hardware counters and the exit code."""
    from topdown.slots.counting import session  # noqa: PLC0415 - loads numpy

    before = settings_now() if options.directory is not None else None
    with recording_directory(options.directory) as directory, live_progress(options) as show:
        follower = IntervalFollower(directory, options.interval_ms, on_slice)

        def follow(progress: CollectorProgress) -> None:
            show(progress)
            follower.follow(progress)

        def count(count_options: CountOptions) -> CollectionEnd:
            return backend.collect(count_options, follow, command_output(options.form))

        result = session.measure(_counting_request(options, directory), count, backend.roots)
        follower.finish(result.measurement)
        for recording in result.recordings:
            keep_settings(recording, before)
        manifest = open_recording(result.recordings[-1]).manifest
    assert manifest is not None
    explain(manifest, result.outcome, kept=options.directory is not None)
    return result.measurement, exit_code(manifest, result.outcome)


def _counting_request(options: TopdownOptions, directory: Path) -> "session.CountingRequest":
    """Return the request for the counting session."""
    from topdown.slots.counting import session  # noqa: PLC0415

    assert options.choice is not None
    chosen = options.choice
    count_options = CountOptions(
        output=directory,
        plan=Path(),  # set for each run
        pids=chosen.pids,
        command=chosen.command,
        system_wide=chosen.system_wide,
        cpus=chosen.cpus,
        cgroup=chosen.cgroup,
        duration_s=chosen.duration_s,
        force=options.force,
    )
    return session.CountingRequest(
        count_options,
        level=options.level,
        events=options.events,
        interval_ms=options.interval_ms,
        runs=options.runs,
        multiplex=options.multiplex,
        drill=options.drill,
        cpu=options.cpu,
    )
