"""Counting of slots in the measured time of a load: each run of the collector has its own load."""

from collections.abc import Callable
from dataclasses import replace
from typing import IO

from stallscope.background_collector import phase_collector
from stallscope.collector import CollectionEnd, CollectorProgress, CountOptions, collect

FollowProgress = Callable[[CollectorProgress], None]


def collect_in_load(
    pid: int, run_load: Callable[[int], object]
) -> Callable[[CountOptions, FollowProgress, IO[str] | None], CollectionEnd]:
    """Return a function that counts ``pid`` while ``run_load`` loads it.

    ``run_load`` gets the descriptor on which the load marks its measured time, and returns after
    the end of the load. Other targets, such as the trial of a group, are counted without a load.
    """

    def collect_run(
        options: CountOptions, follow: FollowProgress, output: IO[str] | None
    ) -> CollectionEnd:
        if options.pids != (pid,):
            return collect(options, follow, output)
        with phase_collector(replace(options, duration_s=None)) as collector:
            run_load(collector.marks.fileno())
            return collector.finish()

    return collect_run
