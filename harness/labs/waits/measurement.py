"""A run of a waiting program under `stallscope waits`."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness.labs.waits.comparison import (
    TOLERANCE,
    cause_verdict,
    found_causes,
    largest_difference,
    share_verdict,
    state_shares,
)
from harness.labs.waits.result import ProgramRow, ProgramVerdict
from harness.labs.waits.waiting_programs import RunAccount, WaitingProgram, read_account
from harness.waits.result import WaitsResult
from stallscope.documents import decode
from stallscope.errors import RecordingError, StallscopeError, UnableError

CAUSES = 3
# A program with a child process is observed by PID, from soon after its start to before its end:
# with a command, the child would be part of the target.
_BEFORE_S, _AFTER_S = 0.3, 1.0
_ANALYSIS_TIMEOUT_S = 120.0


def measure_program(waiting: WaitingProgram, duration_s: float, *, look_alike: bool) -> ProgramRow:
    """Return the row of a program or its look-alike; a failure is a row with the reason."""
    try:
        result, account = diagnose_program(waiting, duration_s, look_alike=look_alike)
    except StallscopeError as error:
        why = f"{error.message}; {error.remedy}" if error.remedy else error.message
        return _failed(waiting, look_alike, why)
    return compared(waiting, result, account, look_alike=look_alike)


def diagnose_program(
    waiting: WaitingProgram, duration_s: float, *, look_alike: bool = False
) -> tuple[WaitsResult, RunAccount]:
    """Return the diagnosis and the account of a run; raises StallscopeError."""
    with tempfile.TemporaryDirectory(prefix="stallscope-lab-") as directory:
        run = _by_pid if waiting.child_process else _as_command
        return run(waiting, duration_s, look_alike, Path(directory))


def compared(
    waiting: WaitingProgram, result: WaitsResult, account: RunAccount, *, look_alike: bool
) -> ProgramRow:
    """Return the row of a diagnosis and the program's account."""
    shares = state_shares(account, result)
    expected = waiting.first_cause
    causes = found_causes(result, expected)
    return ProgramRow(
        program=waiting.name,
        look_alike=look_alike,
        expected_cause=expected.text if expected else None,
        causes=causes[:CAUSES],
        cause_verdict=cause_verdict(expected, causes, look_alike=look_alike),
        shares=shares,
        largest_difference=largest_difference(shares),
        share_verdict=share_verdict(shares, TOLERANCE),
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
    """Observe a program that runs already."""
    report = directory / "account.json"
    words = waiting.command(duration_s + _BEFORE_S + _AFTER_S, look_alike=look_alike)
    with (
        report.open("wb") as output,
        subprocess.Popen(words, stdout=output, stderr=subprocess.DEVNULL) as process,
    ):
        try:
            time.sleep(_BEFORE_S)
            target = ("-p", str(process.pid), "--duration", f"{duration_s:g}")
            result = _diagnosis(directory, *target, duration_s=duration_s)
            process.terminate()
            process.wait(timeout=_ANALYSIS_TIMEOUT_S)
        finally:
            process.kill()
    return result, read_account(report)


def _diagnosis(directory: Path, *words: str, duration_s: float) -> WaitsResult:
    """Return the document of `stallscope waits`."""
    command = [sys.executable, "-m", "stallscope", "waits", "--json"]
    command += ["-o", str(directory / "recording"), *words]
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
