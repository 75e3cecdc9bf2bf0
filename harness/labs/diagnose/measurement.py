"""A run of a program under `stallscope diagnose`, with the rate of its work."""

import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import structs

from harness.diagnose.result import DiagnoseResult
from harness.labs.diagnose.entries import MODELLED, Entry, Words
from harness.labs.diagnose.judgement import KeptRun, judged_run
from harness.labs.diagnose.kept import RECORDING, keep_run
from harness.labs.diagnose.priority import raise_session, raised_priority
from harness.labs.diagnose.quietness import busy_share
from harness.labs.diagnose.result import VariantRun
from harness.labs.diagnose.scoring import CURED, LOOK_ALIKE, PROGRAM
from harness.labs.diagnose.surroundings import Surroundings, surroundings
from stallscope.documents import Count, Record, decode
from stallscope.errors import RecordingError, StallscopeError, UnableError

_BEFORE_S = 0.5  # until the program has started its work
_END_S = 20.0
_ANALYSIS_TIMEOUT_S = 300.0
_UNTIL_SIGNAL = ("--duration", "0")
_KERNELS = "kernels"


class _ThreadUnits(Record, frozen=True):
    name: str
    iterations: Count = 0


class ProgramReport(Record, frozen=True):
    """The report of a program at its end."""

    iterations: Count
    elapsed_ns: Count
    parameters: dict[str, Count | str] = msgspec.field(default_factory=dict)
    threads: tuple[_ThreadUnits, ...] = ()

    def rate_per_s(self, threads: str) -> float:
        """Return the units of work per second and thread, of the threads with a name if any."""
        units, number = self.iterations, int(self.parameters.get("threads", 1))
        if threads:
            named = [row.iterations for row in self.threads if row.name == threads]
            units, number = sum(named), len(named)
        return units / max(1, number) / max(1, self.elapsed_ns) * 1e9


def measure_entry(
    entry: Entry, duration_s: float, keep: Path | None = None
) -> Iterator[VariantRun]:
    """Yield a run of each variant of an entry; a failure is a run with the reason.

    ``keep``: the directory of the recordings of this run, None to remove them.
    """
    rows = ((PROGRAM, entry.program), (LOOK_ALIKE, entry.look_alike), (CURED, entry.cured))
    variants = [row for row in rows if row[1]]
    try:
        with raised_priority(), surroundings(entry) as around:
            for variant, words in variants:
                yield _measured(entry, variant, words, around, duration_s, keep)
    except StallscopeError as error:
        yield _failed(PROGRAM, error)


def _measured(
    entry: Entry,
    variant: str,
    words: Words,
    around: Surroundings,
    duration_s: float,
    keep: Path | None,
) -> VariantRun:
    run = _as_command if entry.source == MODELLED else _by_pid
    kept = KeptRun(variant=variant, beside_name=around.beside_name, busy_before=busy_share())
    with tempfile.TemporaryDirectory(prefix="stallscope-lab-") as directory:
        recording = Path(directory, RECORDING)
        try:
            diagnosis, report = run(around.command(words), Path(directory), duration_s)
        except StallscopeError as error:
            result = _failed(variant, error)
            kept = structs.replace(kept, why=result.why)
        else:
            if entry.source == MODELLED:  # its preparation is a part of the diagnosis
                report = structs.replace(report, elapsed_ns=diagnosis.wall_ns)
            kept = structs.replace(
                kept,
                rate_per_s=report.rate_per_s(entry.threads),
                overhead_share=diagnosis.overhead_share,
            )
            result = judged_run(entry, kept, diagnosis)
        if keep is not None:
            keep_run(keep / variant, kept, recording)
    return result


def _failed(variant: str, error: StallscopeError) -> VariantRun:
    why = f"{error.message}; {error.remedy}" if error.remedy else error.message
    return VariantRun(variant=variant, findings=(), rate_per_s=None, why=why)


def _by_pid(
    command: list[str], directory: Path, duration_s: float
) -> tuple[DiagnoseResult, ProgramReport]:
    """Diagnose a program that runs already."""
    if "stallscope-kernels" in command[0]:
        command = [*command, *_UNTIL_SIGNAL]
    report = directory / "report.json"
    with (
        report.open("wb") as output,
        subprocess.Popen(
            command, stdout=output, stderr=subprocess.DEVNULL, start_new_session=True
        ) as process,
    ):
        try:
            raise_session(process.pid)
            time.sleep(_BEFORE_S)
            words = ("-p", str(process.pid), "--duration", f"{duration_s:g}")
            diagnosis, _ = _diagnose(directory, words)
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=_END_S)
        except subprocess.TimeoutExpired as error:
            raise UnableError(f"{command[0]} did not end", "run it alone") from error
        finally:
            process.kill()
    return diagnosis, _report(report.read_text().splitlines())


def _as_command(
    command: list[str], directory: Path, duration_s: float
) -> tuple[DiagnoseResult, ProgramReport]:
    """Diagnose a command and model its slots; its duration is that of its iterations."""
    del duration_s
    diagnosis, messages = _diagnose(directory, ("--model", "--", *command))
    return diagnosis, _report(messages.splitlines())


def _report(lines: list[str]) -> ProgramReport:
    for line in lines:
        if line.startswith('{"schema":') and "stallscope.kernels/1" in line:
            with suppress(RecordingError):
                return decode(line.encode(), ProgramReport, "report")
    raise UnableError("the program wrote no report", "run it alone to see its message")


def _diagnose(directory: Path, words: tuple[str, ...]) -> tuple[DiagnoseResult, str]:
    """Return the document of `stallscope diagnose`, and what it wrote to standard error."""
    command = [sys.executable, "-m", "stallscope", "diagnose", "--json"]
    command += ["-o", str(directory / RECORDING), *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        raise_session(process.pid)
        try:
            output, messages = process.communicate(timeout=_ANALYSIS_TIMEOUT_S)
        except subprocess.TimeoutExpired as error:
            raise UnableError("stallscope diagnose did not end", "use shorter --seconds") from error
        finally:
            _end(process)
    text = messages.decode("utf-8", "replace")
    if process.returncode != 0:
        printed = text.strip().splitlines()
        errors = [line for line in printed if "error:" in line]  # notes come first
        reason = (errors or printed or [f"exit status {process.returncode}"])[0]
        raise UnableError(f"stallscope diagnose failed: {reason}")
    return decode(output, DiagnoseResult, "stallscope diagnose"), text


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a diagnosis as Ctrl-C does, so that its recorder ends; twice if it analyzes already."""
    for number in (signal.SIGINT, signal.SIGINT, signal.SIGKILL):
        if process.poll() is not None:
            return
        process.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_END_S)
