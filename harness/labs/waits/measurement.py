"""A run of a waiting program under `stallscope waits`.

Cause and shares are those of the period that the recording and the program's account have in
common: the recording of a command also has its start, which may read the program from a disk.
"""

import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from harness.labs.waits.account_period import account_within, common_period
from harness.labs.waits.comparison import (
    TOLERANCE,
    cause_verdict,
    diagnosis_causes,
    largest_difference,
    share_verdict,
    sign_verdict,
    signs_of,
    state_shares,
)
from harness.labs.waits.result import ProgramRow, ProgramVerdict
from harness.labs.waits.waiting_programs import RunAccount, WaitingProgram, read_account
from harness.waits.analysis import WaitAnalysis, analyze_waits
from harness.waits.build import waits_result
from harness.waits.period import within
from harness.waits.result import WaitsResult
from stallscope.documents import decode
from stallscope.errors import RecordingError, StallscopeError, UnableError
from stallscope.recordings import Recording, open_recording
from topdown.waits.idle_pools import idle_threads

CAUSES = 3
# A program with a child process is observed by PID, from soon after its start to before its end:
# with a command, the child would be part of the target.
_BEFORE_S = 0.3
_UNTIL_SIGNAL_S = 0.0
_POLL_S = 0.1
_RECORDER = "stallscope-coll"
_RECORDING = "recording"
_LAST_NS = 1 << 62
_ANALYSIS_TIMEOUT_S = 120.0


def measure_program(waiting: WaitingProgram, duration_s: float, *, look_alike: bool) -> ProgramRow:
    """Return the row of a program or its look-alike; a failure is a row with the reason."""
    try:
        diagnosis = diagnose_program(waiting, duration_s, look_alike=look_alike)
    except StallscopeError as error:
        why = f"{error.message}; {error.remedy}" if error.remedy else error.message
        return _failed(waiting, look_alike, why)
    return compared(waiting, diagnosis.result, diagnosis.account, look_alike=look_alike)


@dataclass(frozen=True, slots=True)
class ProgramDiagnosis:
    """A run of a program: ``whole`` is the document of all of the recording, of ``analysis``.

    ``result`` and ``account`` are those of the common period; the whole ones without readings,
    and if switches were recorded in random windows.
    """

    analysis: WaitAnalysis
    whole: WaitsResult
    whole_account: RunAccount
    result: WaitsResult
    account: RunAccount


def diagnose_program(
    waiting: WaitingProgram, duration_s: float, *, look_alike: bool = False
) -> ProgramDiagnosis:
    """Return the diagnosis and the account of a run; raises StallscopeError."""
    with tempfile.TemporaryDirectory(prefix="stallscope-lab-") as directory:
        run = _by_pid if waiting.child_process else _as_command
        whole, account = run(waiting, duration_s, look_alike, Path(directory))
        recording = open_recording(Path(directory) / _RECORDING)
        period = common_period(account, *recording_period(recording))
        analysis = analyze_waits(recording)
        if period is None or analysis.records.limited_from_ns is not None:
            return ProgramDiagnosis(analysis, whole, account, whole, account)
        idle = idle_threads(analysis.records, analysis.kinds.intervals)
        part = within(analysis, *period, idle)
        result = waits_result(part, recording=recording.path, report=None)
        return ProgramDiagnosis(analysis, whole, account, result, account_within(account, period))


def recording_period(recording: Recording) -> tuple[int, int]:
    """Return begin and end of a recording, in nanoseconds of CLOCK_MONOTONIC."""
    manifest = recording.manifest
    assert manifest is not None
    return manifest.start_ns, manifest.end_ns or _LAST_NS


def compared(
    waiting: WaitingProgram, result: WaitsResult, account: RunAccount, *, look_alike: bool
) -> ProgramRow:
    """Return the row of a diagnosis and the program's account."""
    shares = state_shares(account, result)
    expected = waiting.first_cause
    causes, signs = diagnosis_causes(result, expected), signs_of(result)
    return ProgramRow(
        program=waiting.name,
        look_alike=look_alike,
        expected_cause=expected.text if expected else None,
        causes=causes[:CAUSES],
        cause_verdict=cause_verdict(expected, causes, look_alike=look_alike),
        shares=shares,
        largest_difference=largest_difference(shares),
        share_verdict=share_verdict(shares, TOLERANCE),
        expected_sign=waiting.sign,
        signs=signs,
        sign_verdict=sign_verdict(waiting.sign, signs, look_alike=look_alike),
    )


def _failed(waiting: WaitingProgram, look_alike: bool, why: str) -> ProgramRow:
    return ProgramRow(
        program=waiting.name,
        look_alike=look_alike,
        expected_cause=waiting.first_cause.text if waiting.first_cause else None,
        causes=(),
        cause_verdict=ProgramVerdict.FAILED,
        shares=(),
        largest_difference=None,
        share_verdict=ProgramVerdict.FAILED,
        expected_sign=waiting.sign,
        why=why,
    )


def _as_command(
    waiting: WaitingProgram, duration_s: float, look_alike: bool, directory: Path
) -> tuple[WaitsResult, RunAccount]:
    """Observe the whole run of a program."""
    report = directory / "account.json"
    words = waiting.command(duration_s, look_alike=look_alike)
    # The report must not follow the diagnosis on standard output.
    command = ("sh", "-c", 'exec "$@" > "$0"', str(report), *words)
    result = _diagnosis(directory, "--", *command, duration_s=duration_s)
    return result, read_account(report)


def _by_pid(
    waiting: WaitingProgram, duration_s: float, look_alike: bool, directory: Path
) -> tuple[WaitsResult, RunAccount]:
    """Observe a program that runs already, and end it with the recording."""
    report = directory / "account.json"
    words = waiting.command(_UNTIL_SIGNAL_S, look_alike=look_alike)
    with (
        report.open("wb") as output,
        subprocess.Popen(words, stdout=output, stderr=subprocess.DEVNULL) as process,
    ):
        ended = threading.Event()
        try:
            time.sleep(_BEFORE_S)
            target = ("-p", str(process.pid), "--duration", f"{duration_s:g}")
            follower = threading.Thread(target=_end_with_recorder, args=(process, ended))
            follower.start()
            result = _diagnosis(directory, *target, duration_s=duration_s)
        finally:
            ended.set()
            process.terminate()
            try:
                process.wait(timeout=_ANALYSIS_TIMEOUT_S)
            finally:
                process.kill()
    return result, read_account(report)


def _end_with_recorder(process: "subprocess.Popen[bytes]", ended: threading.Event) -> None:
    """End the program when its recorder has ended, so that its account has no later time."""
    recorders: set[int] = set()
    while not ended.wait(_POLL_S):
        now = {
            int(path.parent.name)
            for path in Path("/proc").glob("[0-9]*/comm")
            if _recorder_of(path, process.pid)
        }
        if recorders and not now:
            process.terminate()
            return
        recorders |= now


def _recorder_of(comm: Path, pid: int) -> bool:
    """Return whether a process is the recorder of a target."""
    try:
        if not comm.read_text().startswith(_RECORDER):
            return False
        return str(pid).encode() in (comm.parent / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return False


def _diagnosis(directory: Path, *words: str, duration_s: float) -> WaitsResult:
    """Return the document of `stallscope waits`."""
    command = [sys.executable, "-m", "stallscope", "waits", "--json"]
    command += ["-o", str(directory / _RECORDING), *words]
    try:
        run = subprocess.run(
            command, capture_output=True, check=False, timeout=duration_s + _ANALYSIS_TIMEOUT_S
        )
    except subprocess.TimeoutExpired as error:
        raise UnableError(
            f"stallscope waits took longer than {error.timeout:g} s", "use a shorter --duration"
        ) from error
    if run.returncode != 0:
        messages = run.stderr.decode("utf-8", "replace").strip().splitlines()
        errors = [message for message in messages if "error:" in message]
        reason = (errors or messages or [f"exit status {run.returncode}"])[0]
        raise UnableError(f"stallscope waits failed: {reason}")
    try:
        return decode(run.stdout, WaitsResult, "stallscope waits")
    except RecordingError as error:
        raise UnableError(error.message, error.remedy) from error
