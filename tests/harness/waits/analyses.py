"""Analyses of waits from timelines in text, for tests of documents, texts and pages."""

from typing import Any

import numpy as np

from harness.waits.analysis import WaitAnalysis
from tests.topdown.waits.wait_records_builder import BuiltRecords, Place, build_records
from topdown.waits.groups import thread_groups
from topdown.waits.thread_states import thread_totals
from topdown.waits.timeline import build_intervals
from topdown.waits.wait_kinds import WaitKinds, classify_waits

PLACES = {
    "lock": Place(("pthread_mutex_lock", "work", "main"), syscall=202, arguments=(0x5000, 128, 2)),
    "sleep": Place(("nanosleep", "main"), syscall=230),
    "read": Place(("read", "main"), ("filemap_read", "vfs_read")),
    "nowhere": Place(("work", "main")),
    "code": Place(("work", "main")),
    "kernel": Place(("write", "main"), ("vfs_write",)),
}


def analysis(text: str, *, title: str = "pid 1000", **options: Any) -> WaitAnalysis:
    """Return the analysis of the timelines in ``text``."""
    warnings = options.pop("warnings", ())
    built = build_records(text, places=PLACES, **options)
    kinds = classify_waits(
        built.records, build_intervals(built.records), built.names, built.syscalls
    )
    return built_analysis(built, kinds, title, warnings)


def built_analysis(
    built: BuiltRecords, kinds: WaitKinds, title: str, warnings: tuple[str, ...] = ()
) -> WaitAnalysis:
    """Return the analysis of records and the kinds of their waits."""
    totals = thread_totals(built.records, kinds, built.names)
    lived = np.flatnonzero(totals.wall_ns > 0).tolist()
    groups = tuple(thread_groups(built.records.threads, lived))
    return WaitAnalysis(
        title, built.records, built.names, built.syscalls, kinds, totals, groups, warnings
    )
