"""Runtimes of a process whose functions can be named, with remedies for the others."""

import subprocess
from pathlib import Path

from harness.doctor.result import RuntimeCheck, RuntimesResult
from harness.machine_checks.check import Status
from stallscope.documents import Document, Natural, Record, decode
from stallscope.errors import StallscopeError
from stallscope.printable import printable
from topdown.stacks.managed.remedies import remedy_for, runtime_of_file

TIMEOUT_S = 10.0  # files of the process may block the reader
_PERMISSION = "no permission"
_MAPS_LIMIT = 16 << 20


class ProbedRuntime(Record, frozen=True, kw_only=True):
    """A runtime in the collector's document; ``refusal`` is empty if it can be read."""

    name: str
    version: str
    refusal: str


class RuntimesProbe(Document, frozen=True, kw_only=True, tag="stallscope.runtimes/1"):
    """What ``stallscope-collect --runtimes PID`` prints."""

    pid: Natural
    runtimes: tuple[ProbedRuntime, ...]


def check_runtimes(pid: int, collector: Path, proc: Path = Path("/proc")) -> RuntimesResult:
    """Return the runtimes of a process; raises StallscopeError if it cannot be examined."""
    if not (proc / str(pid)).exists():
        raise StallscopeError(f"process {pid} does not exist", "name a process that runs with -p")
    checks = [_check(runtime) for runtime in _probe(pid, collector).runtimes]
    known = {check.name for check in checks}
    checks += [
        RuntimeCheck(
            name=name,
            version="",
            status=Status.UNAVAILABLE,
            detail="its functions are not read from outside",
            remedy=remedy_for(name),
        )
        for name in _mapped_runtimes(proc / str(pid) / "maps")
        if name not in known
    ]
    return RuntimesResult(pid=pid, runtimes=tuple(checks))


def _probe(pid: int, collector: Path) -> RuntimesProbe:
    try:
        run = subprocess.run(
            [collector, "--runtimes", str(pid)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise StallscopeError(
            f"process {pid} cannot be examined: {error}", "try again, or examine another process"
        ) from error
    if run.returncode != 0:
        text = printable(run.stderr.decode(errors="replace").strip())
        raise StallscopeError(f"process {pid} cannot be examined: {text}", "")
    return decode(run.stdout, RuntimesProbe, str(collector))


def _check(runtime: ProbedRuntime) -> RuntimeCheck:
    remedy = ""
    if runtime.refusal.startswith(_PERMISSION):
        remedy = "run stallscope as root or as the user of the process"
    elif runtime.refusal:
        remedy = remedy_for(runtime.name)
    return RuntimeCheck(
        name=runtime.name,
        version=printable(runtime.version),
        status=Status.UNAVAILABLE if runtime.refusal else Status.AVAILABLE,
        detail=printable(runtime.refusal) or "functions are read from outside",
        remedy=remedy,
    )


def _mapped_runtimes(maps: Path) -> list[str]:
    """Return the runtimes to which files that the process has mapped belong."""
    try:
        with maps.open("rb") as file:
            lines = file.read(_MAPS_LIMIT).split(b"\n")
    except OSError:
        return []
    names = {runtime_of_file(line.partition(b"/")[1] + line.partition(b"/")[2]) for line in lines}
    return sorted(names - {""})


def runtime_lines(result: RuntimesResult) -> list[str]:
    """Return the runtimes as lines for a terminal."""
    if not result.runtimes:
        return [f"Process {result.pid} has no known runtime; native functions have their names."]
    lines = []
    for runtime in result.runtimes:
        name = f"{runtime.name} {runtime.version}".strip()
        lines.append(f"{runtime.status.value:<11}  {name}: {runtime.detail}")
        if runtime.remedy:
            lines.append(f"{'':<11}  -> {runtime.remedy}")
    return lines
