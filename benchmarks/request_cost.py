"""The cost of marks of requests: of a pair of marks, and of a server's requests.

A program writes pairs of marks (begin, end) while nothing records and while the collector listens;
the same loop without marks is subtracted by the peer's column. The reference server marks each
command; the collector records with and without marks.
"""

import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cases import Case
from benchmarks.effort import pairs
from benchmarks.record_targets import SOURCES
from benchmarks.recorder_cost import Recorder, readings
from harness.requests.header import header_path
from harness.workload.loader import fill_keys, running_load
from harness.workload.options import LoadOptions, ServerOptions
from harness.workload.server import RunningServer, running_server
from harness.workload.server_queries import commands_processed
from stallscope.programs import program

ROUNDS = 7
SERVER_PAIRS = 16
MARKS = 3_000_000
LOAD_S = 600.0
SAMPLES_PER_S = "99"


@dataclass(frozen=True, slots=True)
class CountingServer:
    """The reference server, which counts its commands."""

    server: RunningServer

    @property
    def pid(self) -> int:
        """Return the process id."""
        return self.server.pid

    def work(self) -> int:
        """Return the commands processed since the server's start."""
        return commands_processed(self.server.target)


def collector(*options: str) -> Recorder:
    """Return the collector with options, at a low rate of samples."""

    def command(pid: int, output: Path) -> list[str]:
        words = [str(program("stallscope-collect")), "-F", SAMPLES_PER_S, *options]
        return [*words, "-p", str(pid), "-o", str(output)]

    words = ("stallscope-collect", "-F", SAMPLES_PER_S, *options)
    return Recorder(" ".join(words), command, ready=b"recording ")


@contextmanager
def loaded_server(folder: Path) -> Iterator[CountingServer]:
    """Run the reference server and a closed loop of single requests until the end of the block."""
    with running_server(ServerOptions(path="kv", threads=1)) as server:
        load = LoadOptions(target=server.target, output=folder / "load", duration_s=LOAD_S)
        fill_keys(load)
        with running_load(load):
            time.sleep(2)
            yield CountingServer(server)


def run() -> list[Case]:
    """Measure marks alone, then the server."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        cases = marks(Path(name))
        with loaded_server(Path(name)) as server:
            with_marks, without = collector("--requests"), collector()
            count = pairs(SERVER_PAIRS)
            results = readings(server, [(with_marks, count), (without, count)], Path(name), seed=1)
    return [
        *cases,
        Case(
            name="reference server, one mark at the begin and end of each command",
            metric="extra CPU time of target and recorder, %",
            ours=tuple(reading.extra_percent for reading in results[with_marks.name]),
            peer=tuple(reading.extra_percent for reading in results[without.name]),
            by_difference=True,
            ours_command=with_marks.name,
            peer_command=without.name,
        ),
    ]


def marks(folder: Path) -> list[Case]:
    """Return the cases of a pair of marks against the loop without marks."""
    programs = {kind: _compile(folder, kind) for kind in ("marks", "none")}
    values: dict[str, list[float]] = {"none": [], "idle": [], "recorded": []}
    for _ in range(pairs(ROUNDS)):
        values["none"].append(_pair_ns([str(programs["none"]), str(MARKS), "0"]))
        values["idle"].append(_pair_ns([str(programs["marks"]), str(MARKS), "0"]))
        output = Path(tempfile.mkdtemp(dir=folder)) / "recording"
        words = [str(program("stallscope-collect")), "-F", SAMPLES_PER_S, "--requests"]
        command = [str(programs["marks"]), str(MARKS), "1"]
        values["recorded"].append(_pair_ns([*words, "-o", str(output), "--", *command], listens=1))
    return [
        Case(
            name=name,
            metric="CPU time of a pair, ns",
            ours=tuple(values[kind]),
            peer=tuple(values["none"]),
            by_difference=True,
            ours_command="stallscope_request_begin, stallscope_request_end",
            peer_command="STALLSCOPE_NO_REQUESTS",
        )
        for name, kind in (
            ("marks, nothing records", "idle"),
            ("marks, the collector listens", "recorded"),
        )
    ]


def _compile(folder: Path, kind: str) -> Path:
    output = folder / f"request-{kind}"
    off = ["-DSTALLSCOPE_NO_REQUESTS"] if kind == "none" else []
    words = ["cc", "-std=gnu17", "-O2", *off, f"-I{header_path().parent}"]
    subprocess.run([*words, "-o", output, SOURCES / "request_marks.c"], check=True)
    return output


def _pair_ns(command: list[str], *, listens: int = 0) -> float:
    """Return the printed time of a pair; RuntimeError unless marks were recorded as expected."""
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    value, recorded = output.split()[-2:]
    if int(recorded) != listens:
        raise RuntimeError(f"marks recorded: {recorded}, expected {listens}")
    return float(value)
