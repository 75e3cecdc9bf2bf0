"""The records of waits of a recording, from its capture, its log and its manifest."""

import numpy as np

from stallscope._native import Capture
from stallscope.recordings import Manifest, Recording
from topdown.waits.read_records import read_wait_records
from topdown.waits.records import TaskKind, WaitRecords
from topdown.waits.wait_log import WaitLog, read_wait_log


def wait_records_of(recording: Recording, capture: Capture) -> tuple[WaitRecords, WaitLog | None]:
    """Return the records of waits of a recording or a perf.data file, and the log, if any."""
    manifest = recording.manifest
    log = read_wait_log(recording.path) if manifest is not None else None
    records = read_wait_records(
        capture,
        log,
        begin_ns=_begin_ns(capture, manifest, log),
        end_ns=_end_ns(capture, manifest),
    )
    return records, log


def _end_ns(capture: Capture, manifest: Manifest | None) -> int | None:
    """Return the end of the recording; if its file was cut, that of the last record in it."""
    if manifest is None:
        return None
    if capture.truncated_at is None:
        return manifest.end_ns
    columns = (capture.time_ns, capture.switch_time_ns, capture.wake_time_ns)
    return max((int(times.max()) for times in columns if len(times)), default=manifest.end_ns or 0)


def _begin_ns(capture: Capture, manifest: Manifest | None, log: WaitLog | None) -> int | None:
    """Return the begin of the recording.

    Of a command, that of its program: before it, the command's process waits for the recorder. Of
    a process, when its threads were attached: before it, nothing shows their states.
    """
    if manifest is None:
        return None
    begin_ns = manifest.start_ns or None
    if manifest.target.kind == "command":
        pids = {thread.pid for thread in capture.threads if thread.pid in manifest.target.pids}
        threads = [n for n, thread in enumerate(capture.threads) if thread.pid in pids]
        execs = (capture.task_kind == TaskKind.EXEC) & np.isin(capture.task_thread, threads)
        if execs.any():
            return int(capture.task_time_ns[execs].min())
    if manifest.target.kind == "process" and log is not None:
        attached = [line.at_ns for line in log.modes if line.mode == "all"]
        begin_ns = max([begin_ns or 0, *attached[:1]]) or None
    return begin_ns
