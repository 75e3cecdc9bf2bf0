"""What stands around a program: files, a disk of known speed, CPUs, and the program beside it."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from harness.labs.diagnose.entries import Entry, Words
from harness.labs.diagnose.priority import raise_session
from stallscope.errors import UnableError
from stallscope.programs import program

DISK_SERVERS = 8  # requests at a time: a ninth one waits
FILE_BYTES = 8 << 20
_SCRIPTS = Path(__file__).parent
_END_S = 20
_NAME_READS = 1000
_MAX_NAME = 15  # TASK_COMM_LEN without the terminating zero


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Values of the words in braces, and the name of the program beside the entry ("" if none)."""

    places: Mapping[str, str]
    beside_name: str = ""

    def command(self, words: Words) -> list[str]:
        """Return the command line of words of the table."""
        filled = [word.format(**self.places) for word in words]
        first, *rest = filled
        if first == "kernels":
            return [str(program("stallscope-kernels")), *rest]
        if first == "work":
            return [sys.executable, "-m", "harness.labs.diagnose.work", *rest]
        if first == "node":
            return ["node", *(_script(word) for word in rest)]
        return filled


def _script(word: str) -> str:
    return str(_SCRIPTS / word) if word.endswith(".js") else word


@contextmanager
def surroundings(entry: Entry) -> Iterator[Surroundings]:
    """Provide what an entry needs; raises UnableError if this machine cannot."""
    cpus = sorted(os.sched_getaffinity(0))
    with ExitStack() as stack:
        directory = Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="stallscope-lab-", dir=_disk()))
        )
        file = directory / "file"
        file.write_bytes(os.urandom(FILE_BYTES))
        places = {"file": str(file), "first": str(cpus[0]), "last": str(cpus[-1])}
        if entry.uses_disk:
            places["disk"] = stack.enter_context(known_disk(entry.disk_service_us))
        around = Surroundings(places)
        if entry.beside:
            command = around.command(entry.beside)
            beside = stack.enter_context(running(command))
            around = Surroundings(places, _name(beside.pid, Path(command[0]).name))
        yield around


def _disk() -> str | None:
    """Return a directory that is not in memory."""
    return "/var/tmp" if Path("/var/tmp").is_dir() else None  # noqa: S108 - a private directory


def _name(pid: int, program_name: str) -> str:
    """Return the name of a process that was just started.

    The kernel sets it after it has closed the descriptors by which the start is noticed.
    """
    name = ""
    with suppress(OSError):
        for _ in range(_NAME_READS):
            name = Path(f"/proc/{pid}/comm").read_text().strip()
            if name == program_name[:_MAX_NAME]:
                break
            time.sleep(0.001)
    return name


@contextmanager
def running(command: list[str]) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a program until the block ends."""
    try:
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
    except OSError as error:
        raise UnableError(f"{command[0]} cannot be run: {error}", "install it") from error
    try:
        raise_session(process.pid)
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def known_disk(service_us: int) -> Iterator[str]:
    """Serve a disk of known speed as a loop device."""
    words = [str(program("stallscope-known-disk")), "--servers", str(DISK_SERVERS)]
    words += ["--service-us", str(service_us)]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True, text=True
    ) as process:
        try:
            raise_session(process.pid)
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line:
                raise UnableError("the known disk needs the kernel's FUSE", "run as root")
            with _loop_device(json.loads(line)["path"]) as device:
                yield device
        finally:
            process.kill()


@contextmanager
def _loop_device(path: str) -> Iterator[str]:
    words = ["losetup", "--find", "--show", "--direct-io=on", path]
    made = subprocess.run(words, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise UnableError(f"no loop device: {made.stderr.strip()}", "run as root")
    device = made.stdout.strip()
    admitted = Path("/sys/block", Path(device).name, "queue/nr_requests")
    before = admitted.read_text()
    try:
        yield device
    finally:
        with suppress(OSError):  # otherwise the next file of the device inherits it
            admitted.write_text(before)
        with suppress(OSError, subprocess.SubprocessError):
            subprocess.run(["losetup", "--detach", device], check=True, timeout=_END_S)
