"""Counting slots for `stallscope topdown`: the request in the engine's own terms, and its end."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING

from harness.cli.target_status import exit_code, explain
from harness.recordings.settings import keep_settings
from harness.recordings.settings_text import settings_now
from harness.topdown.follow import Follower, OnSlice
from harness.topdown.places import command_output, live_progress, recording_place
from harness.topdown.request import Request
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
class Means:
    """What is measured with: the machine's files, and the program that counts."""

    roots: Roots = field(default_factory=Roots)
    collect: Collect = collect


def counted(asked: Request, on_slice: OnSlice, means: Means) -> tuple[Measurement, int]:
    """Return what hardware counters say, and the exit code that the command's end asks for."""
    from topdown.slots.counting import session  # noqa: PLC0415 - loads numpy

    before = settings_now() if asked.directory is not None else None
    with recording_place(asked.directory) as place, live_progress(asked) as show:
        follower = Follower(place, asked.interval_ms, on_slice)

        def follow(progress: CollectorProgress) -> None:
            show(progress)
            follower.follow(progress)

        def count(options: CountOptions) -> CollectionEnd:
            return means.collect(options, follow, command_output(asked.form))

        taken = session.measure(_request(asked, place), count, means.roots)
        follower.finish(taken.measurement)
        for recording in taken.recordings:
            keep_settings(recording, before)
        manifest = open_recording(taken.recordings[-1]).manifest
    assert manifest is not None
    explain(manifest, taken.outcome, kept=asked.directory is not None)
    return taken.measurement, exit_code(manifest, taken.outcome)


def _request(asked: Request, place: Path) -> "session.CountingRequest":
    """Return what is asked for in the terms of who counts."""
    from topdown.slots.counting import session  # noqa: PLC0415

    assert asked.choice is not None
    chosen = asked.choice
    options = CountOptions(
        output=place,
        plan=Path(),  # set with each counting
        pids=chosen.pids,
        command=chosen.command,
        system_wide=chosen.system_wide,
        cpus=chosen.cpus,
        cgroup=chosen.cgroup,
        duration_s=chosen.duration_s,
        force=asked.force,
    )
    return session.CountingRequest(
        options,
        level=asked.level,
        events=asked.events,
        interval_ms=asked.interval_ms,
        runs=asked.runs,
        multiplex=asked.multiplex,
        drill=asked.drill,
        cpu=asked.cpu,
    )
