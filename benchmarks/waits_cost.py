"""The cost of recording waits: extra CPU time of the target and the recorder, and file size.

Targets: redis whose load keeps it busy (some 1,500 switches per second, of which each is recorded),
redis with single requests at a fixed rate (some 16,000 switches per second at 40 % of a CPU,
recorded in windows), and two threads that pass a turn back and forth as fast as they can, some
400,000 switches per second. Server and load of redis have a CPU each.

`stallscope waits` records switches with stacks, and CPU time at 999 Hz with copied stacks. The cost
of switch records alone is measured without copies of stacks and with 19 samples of CPU time per
second.
"""

import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cases import Case, difference, ours, ratio
from benchmarks.record_targets import RecordTarget, pinned, redis_at_rate, redis_under_load
from benchmarks.recorder_cost import Recorder, WindowCost, readings
from stallscope.programs import program

OURS = 24
PEERS = 8
OURS_COMMAND = "stallscope-collect --waits"
RECORDS_COMMAND = "stallscope-collect --waits --wait-stack-bytes 0 -F 19"


@dataclass(frozen=True, slots=True)
class SwitchingPair:
    """A program that counts the turns that two of its threads pass back and forth."""

    pid: int

    def work(self) -> int:
        """Return the context switches of all threads."""
        switches = 0
        for status in Path(f"/proc/{self.pid}/task").glob("*/status"):
            for line in status.read_text().splitlines():
                if "ctxt_switches" in line:
                    switches += int(line.split()[1])
        return switches


@contextmanager
def switching_pair(_: Path) -> Iterator[SwitchingPair]:
    """Run the program until the end of the block."""
    words = [str(program("stallscope-kernels")), "short-and-long-waits", "--duration", "0"]
    with subprocess.Popen([*words, "--rate", "10000000"], stdout=subprocess.DEVNULL) as process:
        try:
            yield SwitchingPair(process.pid)
        finally:
            process.kill()


def collector_command(pid: int, output: Path) -> list[str]:
    """Return the collector's command line."""
    return [str(program("stallscope-collect")), "--waits", "-p", str(pid), "-o", str(output)]


def records_command(pid: int, output: Path) -> list[str]:
    """Return the collector's command line for records without stacks."""
    return [*collector_command(pid, output), "--wait-stack-bytes", "0", "-F", "19"]


def perf_switch_command(pid: int, output: Path) -> list[str]:
    """Return the command line of a recording of switches with call chains."""
    words = ["perf", "record", "-q", "-e", "sched:sched_switch", "-g", "-m", "2M"]
    return [*words, "-p", str(pid), "-o", str(output)]


def perf_sched_command(_: int, output: Path) -> list[str]:
    """Return the command line of perf sched, which records whole CPUs."""
    return ["perf", "sched", "record", "-q", "-m", "2M", "-o", str(output)]


COLLECTOR = Recorder(OURS_COMMAND, collector_command, ready=b"recording ")
RECORDS_ONLY = Recorder(RECORDS_COMMAND, records_command, ready=b"recording ")
PEER_RECORDERS = (
    Recorder("perf record -e sched:sched_switch -g", perf_switch_command),
    Recorder("perf sched record", perf_sched_command),
)


@dataclass(frozen=True, slots=True)
class SwitchLoad:
    """A target, and the limit of the cost of recording it, in percent."""

    name: str
    max_percent: float
    start: Callable[[Path], AbstractContextManager[RecordTarget]]
    with_records_only: bool = False


LOADS = (
    SwitchLoad(
        "redis, busy: each switch",
        5.0,
        lambda folder: pinned(redis_under_load(folder)),
        with_records_only=True,
    ),
    SwitchLoad(
        "redis, 20,000 requests/s: windows", 3.0, lambda folder: pinned(redis_at_rate(folder))
    ),
    SwitchLoad("400,000 switches/s: windows", 5.0, switching_pair),
)


def run() -> list[Case]:
    """Measure all targets, and both peers less often."""
    cases: list[Case] = []
    for seed, load in enumerate(LOADS):
        recorders = [(COLLECTOR, OURS), *((peer, PEERS) for peer in PEER_RECORDERS)]
        if load.with_records_only:
            recorders.append((RECORDS_ONLY, OURS))
        with (
            tempfile.TemporaryDirectory(dir="/var/tmp") as folder,
            load.start(Path(folder)) as target,
        ):
            time.sleep(1)
            results = readings(target, recorders, Path(folder), seed=seed)
        cases += cases_of(load, results)
        for case in cases[-5:]:
            print(case.name, case.metric, case.ours, case.peer, flush=True)
    return cases


def cases_of(load: SwitchLoad, results: dict[str, list[WindowCost]]) -> list[Case]:
    """Return the cases of a target: the cost, and cost and size against both peers."""
    own = results[OURS_COMMAND]
    cases = [
        Case(
            name=load.name,
            metric="extra CPU time of target and recorder, %",
            bar=(ours(at_most=load.max_percent),),
            ours=tuple(reading.extra_percent for reading in own),
            by_difference=True,
            ours_command=OURS_COMMAND,
        )
    ]
    if load.with_records_only:
        cases.append(
            Case(
                name=f"{load.name}, records only",
                metric="extra CPU time of target and recorder, %",
                bar=(ours(at_most=load.max_percent),),
                ours=tuple(reading.extra_percent for reading in results[RECORDS_COMMAND]),
                by_difference=True,
                ours_command=RECORDS_COMMAND,
            )
        )
    # Peers take part in every third round, the first of which is the last of three.
    beside_peers = own[OURS // PEERS - 1 :: OURS // PEERS]
    for peer in PEER_RECORDERS:
        beside = results[peer.name]
        cases.append(
            Case(
                name=f"{load.name}, beside {peer.name}",
                metric="extra CPU time of target and recorder, %",
                bar=(difference(at_most=0),),
                ours=tuple(reading.extra_percent for reading in beside_peers),
                peer=tuple(reading.extra_percent for reading in beside),
                by_difference=True,
                ours_command=OURS_COMMAND,
                peer_command=peer.name,
            )
        )
        cases.append(
            Case(
                name=f"{load.name}, beside {peer.name}",
                metric="recording, bytes/s",
                bar=(ratio(at_most=1),),
                ours=tuple(reading.bytes_per_s for reading in beside_peers),
                peer=tuple(reading.bytes_per_s for reading in beside),
                ours_command=OURS_COMMAND,
                peer_command=peer.name,
            )
        )
    return cases
