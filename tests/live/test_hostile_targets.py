"""Processes of an ordinary user that hold up root's collector: their memory or files never answer.

Each is recorded with all CPUs. The recording must end soon after its signal, cost little, lose no
samples of other processes, and leave no process except a helper that it names.
"""

import json
import os
import re
import signal
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.live.conftest import Collection, Recording
from tests.live.python_targets import Interpreter
from tests.long_tests import long_tests

pytestmark = [pytest.mark.live, pytest.mark.long]

SOURCE = Path(__file__).parent / "targets" / "hostile.c"
UNSUPPORTED = 3
RECORD_S = long_tests(short=1, long=10)
# The limit is 2 s on an idle machine; the test catches a hang on a busy one.
END_S = 10.0
MAX_CPU_S = (
    1.0  # per second of recording, and for start and end: far less than the CPUs of the fault
)
MAX_LOST_SHARE = 0.01
ELF_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION = struct.Struct("<IIQQQQIIQQ")
STRING_TABLE, SYMBOL_TABLE, DYNAMIC_SYMBOLS = 3, 2, 11


def write_sparse_elf(path: Path, tables: int, table_bytes: int) -> None:
    """Write an ELF file of headers alone: all its symbol tables are one sparse range."""
    start = ELF_HEADER.size + SECTION.size * (tables + 1)
    ident = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    header = ELF_HEADER.pack(ident, 3, 62, 1, 0, 0, 64, 0, 64, 56, 0, 64, tables + 1, 0)
    sections = [SECTION.pack(0, STRING_TABLE, 0, 0, start, table_bytes, 0, 0, 1, 0)]
    for index in range(tables):
        kind = DYNAMIC_SYMBOLS if index % 2 else SYMBOL_TABLE
        sections.append(SECTION.pack(0, kind, 0, 0, start, table_bytes, 0, 0, 1, 24))
    path.write_bytes(header + b"".join(sections) + b"_PyRuntime\0")
    os.truncate(path, start + table_bytes)
    path.chmod(0o755)


@pytest.fixture(scope="module")
def hostile_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, compiled as `python3.11` in a directory from which `nobody` may run it."""
    if os.geteuid() != 0:
        pytest.skip("needs root: records all CPUs beside a process of another user")
    folder = tmp_path_factory.mktemp("hostile")
    for parent in (folder, *folder.parents[:2]):
        parent.chmod(parent.stat().st_mode | 0o011)
    program = folder / "python3.11"
    command = ["cc", "-O1", "-Wall", "-Wextra", "-rdynamic", "-o", str(program), str(SOURCE)]
    subprocess.run(command, check=True)
    return program


@pytest.fixture
def start_hostile(
    hostile_program: Path, tmp_path: Path
) -> Iterator[Callable[[str], subprocess.Popen[str]]]:
    """Starts the program, and ends it with its FUSE server afterwards."""
    started: list[subprocess.Popen[str]] = []

    def start(mode: str) -> subprocess.Popen[str]:
        words = [str(hostile_program), mode]
        if mode == "symbols":
            library = hostile_program.parent / "libpython3.99.so"
            write_sparse_elf(library, 4000, 255 << 20)
            words.append(str(library))
        if mode.startswith("fuse"):
            folder = tmp_path / "disk"
            folder.mkdir()
            words.append(str(folder))
        process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        started.append(process)
        assert process.stdout is not None
        if process.stdout.readline() != "ready\n":
            assert process.wait(10) == UNSUPPORTED
            assert process.stderr is not None
            pytest.skip(f"needs the kernel's FUSE or userfaultfd: {process.stderr.read().strip()}")
        return process

    yield start
    for process in started:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=20)


def children_of(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def exists(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def wait_for_end(pids: list[int], limit_s: float) -> list[int]:
    """Return the processes that still exist after the limit."""
    end = time.monotonic() + limit_s
    while any(map(exists, pids)) and time.monotonic() < end:
        time.sleep(0.02)
    return [pid for pid in pids if exists(pid)]


def end_by_signal(collection: Collection) -> tuple[Recording, list[int], float]:
    """Interrupt a recording; return it, its helpers, and the CPU time of all its processes."""
    pid = collection.process.pid
    helpers = children_of(pid)
    begin = time.monotonic()
    collection.process.send_signal(signal.SIGINT)
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        assert time.monotonic() < begin + END_S, "the collector did not end"
        time.sleep(0.01)
    _, status, usage = os.wait4(pid, 0)
    collection.process.returncode = os.waitstatus_to_exitcode(status)
    return collection.end(), helpers, usage.ru_utime + usage.ru_stime


def named_helpers(recording: Recording) -> set[int]:
    messages = [
        warning["message"]
        for warning in recording.document["warnings"]
        if warning["code"] == "helper-abandoned"
    ]
    return {
        int(match[1]) for message in messages if (match := re.search(r"process (\d+)", message))
    }


def lines_of(recording: Recording) -> list[dict[str, Any]]:
    text = (recording.directory / "python.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize(
    "mode", ["userfaultfd", "fuse-memory", "fuse-code", "symbols", "structures"]
)
def test_a_hostile_process_neither_delays_the_end_nor_costs_samples_of_others(
    mode: str,
    start_hostile: Callable[[str], subprocess.Popen[str]],
    start_collector: Callable[..., Collection],
    system_python: Interpreter,
) -> None:
    hostile = start_hostile(mode)
    with system_python.start("60", "plain") as honest:
        try:
            collection = start_collector("-a", "-F", 199)
            collection.wait_for("started")
            time.sleep(RECORD_S)
            recording, helpers, cpu_s = end_by_signal(collection)
        finally:
            honest.kill()
    assert recording.exit_code == 0, recording.document
    assert cpu_s < MAX_CPU_S * (RECORD_S + 1)
    samples = recording.document["samples"]
    lost = recording.document["losses"]["lost_samples"]
    assert samples > 0
    assert lost <= MAX_LOST_SHARE * samples
    left = set(wait_for_end(helpers, 1))
    assert left <= named_helpers(recording)
    assert any(line.get("pid") == honest.pid and "t" in line for line in lines_of(recording))
    if mode in {"userfaultfd", "fuse-memory", "fuse-code"}:
        messages = [warning["message"] for warning in recording.document["warnings"]]
        assert any(f"process {hostile.pid} " in message for message in messages), messages
    for pid in left:  # an abandoned helper holds nothing of the recording
        held = [str(entry.readlink()) for entry in Path(f"/proc/{pid}/fd").iterdir()]
        assert not [
            name for name in held if "perf_event" in name or str(recording.directory) in name
        ]
        assert "perf_event" not in Path(f"/proc/{pid}/maps").read_text()
    os.killpg(hostile.pid, signal.SIGKILL)
    assert wait_for_end(list(left), 10) == []


@pytest.mark.parametrize("mode", ["fuse-memory", "fuse-code"])
def test_a_hostile_process_alone_does_not_block_its_recording(
    mode: str,
    start_hostile: Callable[[str], subprocess.Popen[str]],
    start_collector: Callable[..., Collection],
) -> None:
    hostile = start_hostile(mode)
    collection = start_collector("-p", hostile.pid, "-F", 199)
    collection.wait_for("started")
    time.sleep(0.5)
    recording, helpers, cpu_s = end_by_signal(collection)
    assert recording.exit_code == 0, recording.document
    assert cpu_s < MAX_CPU_S * 2
    assert set(wait_for_end(helpers, 1)) <= named_helpers(recording)
