"""The reader compared with perf, sample by sample, on new recordings of every kind."""

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from stallscope._native import Capture, read_capture
from tests.peers import run_peer
from topdown.stacks.symbols.sources import SymbolSources
from topdown.stacks.unwinding.tables import UnwindTables

pytestmark = pytest.mark.live

TARGET = """
#include <time.h>
static volatile unsigned long sink;
__attribute__((noinline)) int fib(int n) {
  if (n < 2) { for (int i = 0; i < 50; i++) sink += i; return n; }
  int r = fib(n - 1) + fib(n - 2); sink += r; return r;
}
__attribute__((noinline)) void flat(void) { for (int i = 0; i < 100000; i++) sink += i; }
int main(void) {
  struct timespec t;
  do { fib(12); flat(); clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); }
  while (t.tv_sec == 0 && t.tv_nsec < 100000000);
}
"""
WITHOUT_FRAME_POINTERS = """
#include <stdlib.h>
#include <time.h>
static volatile unsigned long sink;
__attribute__((noinline)) int fib(int n) {
  if (n < 2) { for (int i = 0; i < 50; i++) sink += i; return n; }
  int r = fib(n - 1) + fib(n - 2); sink += r; return r;
}
static int compare(const void* left, const void* right) {
  sink += fib(4);
  return *(const int*)left - *(const int*)right;
}
int main(void) {
  struct timespec t;
  int values[64];
  do {
    for (int i = 0; i < 64; i++) values[i] = i * 7919 % 64;
    qsort(values, 64, sizeof *values, compare);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  } while (t.tv_sec == 0 && t.tv_nsec < 100000000);
}
"""
HEADER = re.compile(
    r"^ *(?P<comm>.*?) +(?P<pid>-?\d+)/(?P<tid>-?\d+) +(?P<s>\d+)\.(?P<ns>\d{9}): +(?P<period>\d+) +(?P<event>\S+):"
)
FRAME = re.compile(r"^\s+([0-9a-f]+) (?:.* )?\((.*)\)$")


@dataclass(frozen=True, slots=True)
class ComparedSample:
    """A sample as printed by perf script."""

    comm: str
    pid: int
    tid: int
    time_ns: int
    period: int
    event: str
    chain: tuple[tuple[str, int], ...]


@pytest.fixture(scope="module")
def perf() -> str:
    perf = shutil.which("perf")
    if perf is None:
        pytest.skip("needs the program perf: not installed")
    return perf


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs the program cc: not installed")
    folder = tmp_path_factory.mktemp("target")
    (folder / "busy.c").write_text(TARGET)
    program = folder / "busy"
    subprocess.run(
        [compiler, "-O1", "-fno-omit-frame-pointer", "-o", program, folder / "busy.c"], check=True
    )
    return program


@pytest.fixture(scope="module")
def bare_target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program without frame pointers that calls through a library without them."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs the program cc: not installed")
    folder = tmp_path_factory.mktemp("bare")
    (folder / "bare.c").write_text(WITHOUT_FRAME_POINTERS)
    program = folder / "bare"
    command = [compiler, "-O1", "-fomit-frame-pointer", "-o", program, folder / "bare.c"]
    subprocess.run(command, check=True)
    return program


def record(perf: str, into: Path, options: list[str], command: list[str]) -> None:
    """Records a command with perf to a file, or through a pipe with the option "-o -"."""
    piped = options[-2:] == ["-o", "-"]
    place = [] if piped else ["-o", str(into)]
    with (into if piped else Path("/dev/null")).open("wb") as out:
        run_peer(
            [perf, "record", *options, *place, "--", *command],
            check=True,
            stdout=out,
            stderr=subprocess.DEVNULL,
        )


def samples_by_perf(perf: str, path: Path) -> list[ComparedSample]:
    text = run_peer(
        [
            perf,
            "script",
            "--ns",
            "--no-inline",
            "-F",
            "comm,pid,tid,time,period,event,ip,dso",
            "-i",
            path,
        ],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    samples: list[ComparedSample] = []
    for block in re.split(r"\n(?=\S)|\n\n", text):
        lines = block.strip("\n").split("\n")
        if (head := HEADER.match(lines[0])) is None:
            continue
        chain = [FRAME.match(line) for line in lines[1:]]
        samples.append(
            ComparedSample(
                head["comm"],
                int(head["pid"]),
                int(head["tid"]),
                int(head["s"]) * 10**9 + int(head["ns"]),
                int(head["period"]),
                head["event"].rstrip(":"),
                tuple((frame[2], int(frame[1], 16)) for frame in chain if frame),
            )
        )
    return samples


def samples_by_reader(capture: Capture) -> list[ComparedSample]:
    return [
        ComparedSample(
            capture.threads[capture.thread[row]].name.decode(),
            capture.threads[capture.thread[row]].pid,
            capture.threads[capture.thread[row]].tid,
            int(capture.time_ns[row]),
            int(capture.period[row]),
            capture.attributes[capture.event[row]].name,
            chain_of(capture, int(capture.stack[row])),
        )
        for row in range(len(capture.time_ns))
    ]


def chain_of(capture: Capture, stack: int) -> tuple[tuple[str, int], ...]:
    """Frames as perf prints them: callers by their return address."""
    first, last = (int(capture.stack_offset[stack + step]) for step in (0, 1))
    chain = []
    kind_before = None
    for frame in capture.stack_frame[first:last]:
        kind, number = int(capture.frame_kind[frame]), int(capture.frame_object[frame])
        exact = kind_before is None or (kind == 0 and kind_before != 0)
        path = capture.objects[number].path.decode() if number >= 0 else "[unknown]"
        address = int(capture.frame_address[frame])
        chain.append((path, address if exact or address == 0 else address + 1))
        kind_before = kind
    return tuple(chain)


CLOCK = ["-F", "999", "-e", "cpu-clock"]
WITH_CHAINS = {
    "file": [*CLOCK, "-g"],
    "pipe": [*CLOCK, "-g", "-o", "-"],
    "zstd": [*CLOCK, "-g", "-z"],
    "zstd_pipe": [*CLOCK, "-g", "-z", "-o", "-"],
    "two_events": ["-F", "499", "-e", "cpu-clock,task-clock", "-g"],
    "period": ["-c", "1000000", "-e", "cpu-clock", "-g"],
    "build_ids": [*CLOCK, "-g", "--buildid-mmap"],
    "clock": [*CLOCK, "-g", "-k", "CLOCK_MONOTONIC"],
    "addresses": [*CLOCK, "-g", "-d", "--phys-data", "--sample-cpu", "-T"],
    "tracepoint": ["-e", "sched:sched_switch", "-R", "-g", "-o", "-"],
}


@pytest.mark.parametrize("kind", sorted(WITH_CHAINS))
def test_every_sample_and_frame_agrees_with_perf_script(
    perf: str, target: Path, tmp_path: Path, needs_root: None, kind: str
) -> None:
    path = tmp_path / "x.perf"
    record(perf, path, WITH_CHAINS[kind], [str(target)])
    expected = samples_by_perf(perf, path)
    samples_read = samples_by_reader(read_capture(path))
    assert len(samples_read) == len(expected) > 0
    for ours, theirs in zip(samples_read, expected, strict=True):
        assert (ours.pid, ours.tid, ours.time_ns, ours.period) == (
            theirs.pid,
            theirs.tid,
            theirs.time_ns,
            theirs.period,
        )
        assert ours.event == theirs.event
        assert ours.chain == theirs.chain


def test_stack_dumps_do_not_hide_the_leaf(
    perf: str, target: Path, tmp_path: Path, needs_root: None
) -> None:
    path = tmp_path / "x.perf"
    record(
        perf, path, ["-F", "499", "-e", "cpu-clock", "--call-graph", "dwarf,4096"], [str(target)]
    )
    expected = samples_by_perf(perf, path)
    samples_read = samples_by_reader(read_capture(path))
    assert [sample.time_ns for sample in samples_read] == [sample.time_ns for sample in expected]
    assert [sample.chain[0] for sample in samples_read] == [sample.chain[0] for sample in expected]


def test_a_shell_that_forks_and_all_cpus(
    perf: str, target: Path, tmp_path: Path, needs_root: None
) -> None:
    path = tmp_path / "x.perf"
    script = f"{target} & {target} & wait"
    record(perf, path, [*CLOCK, "-g", "-a"], ["/bin/sh", "-c", script])
    expected = samples_by_perf(perf, path)
    capture = read_capture(path)
    samples_read = samples_by_reader(capture)
    assert len(samples_read) == len(expected) > 0

    def busy(samples: list[ComparedSample]) -> list[tuple[int, int, tuple[tuple[str, int], ...]]]:
        rows = [(sample.tid, sample.time_ns, sample.chain) for sample in samples]
        return sorted(row for row in rows if row[2] and row[2][0][0] == str(target))

    assert busy(samples_read) == busy(expected)
    assert len({tid for tid, _, _ in busy(samples_read)}) == 2
    assert set(capture.cpu.tolist()) <= set(range(4096))


DWARF = ["-F", "999", "-e", "cpu-clock", "--call-graph", "dwarf,8192"]
WITH_STACKS = {
    "file": DWARF,
    "pipe": [*DWARF, "-o", "-"],
    "zstd": [*DWARF, "-z"],
    "zstd_pipe": [*DWARF, "-z", "-o", "-"],
}
COMPLETE, CUT_BY_COPY = 1, 2


def unwound_chain(capture: Capture, stack: int) -> tuple[tuple[str, int], ...]:
    """Frames as perf prints them if it unwinds: callers from the kernel by return address."""
    first, last = (int(capture.stack_offset[stack + step]) for step in (0, 1))
    chain = []
    for place, frame in enumerate(capture.stack_frame[first:last]):
        number = int(capture.frame_object[frame])
        path = capture.objects[number].path.decode() if number >= 0 else "[unknown]"
        behind = 1 if place > 0 and capture.frame_kind[frame] == 1 else 0
        chain.append((path, int(capture.frame_address[frame]) + behind))
    return tuple(chain)


def end_of(capture: Capture, row: int) -> int:
    return int(capture.stack_end[capture.stack[row]])


@pytest.mark.parametrize("kind", sorted(WITH_STACKS))
def test_stacks_without_frame_pointers_are_whole_and_as_perf_unwinds_them(
    perf: str, bare_target: Path, tmp_path: Path, needs_root: None, kind: str
) -> None:
    path = tmp_path / "x.perf"
    record(perf, path, WITH_STACKS[kind], [str(bare_target)])
    expected = samples_by_perf(perf, path)
    tables = UnwindTables(SymbolSources())
    capture = read_capture(path, unwind_tables=tables)
    assert len(capture.time_ns) == len(expected) > 50
    different = []
    for row, theirs in enumerate(expected):
        assert int(capture.time_ns[row]) == theirs.time_ns
        chain = unwound_chain(capture, int(capture.stack[row]))
        if chain != theirs.chain or end_of(capture, row) != COMPLETE:
            different.append((end_of(capture, row), chain, theirs.chain))
    # Between execve and main perf sometimes fails to unwind, and a sample may have no user stack.
    assert len(different) <= 0.02 * len(expected), different[:3]
    # Pipes and compressed files list no build ids, without which the vdso may be another kernel's.
    assert all("[vdso]" in warning.message for warning in tables.warnings)
    depths = [len(unwound_chain(capture, stack)) for stack in range(len(capture.stack_end))]
    assert max(depths) > 8


def test_chains_truncated_by_a_short_copy_are_marked(
    perf: str, bare_target: Path, tmp_path: Path, needs_root: None
) -> None:
    path = tmp_path / "x.perf"
    record(perf, path, [*DWARF[:-1], "dwarf,256"], [str(bare_target)])
    capture = read_capture(path, unwind_tables=UnwindTables(SymbolSources()))
    ends = [end_of(capture, row) for row in range(len(capture.time_ns))]
    assert ends.count(CUT_BY_COPY) > 0.8 * len(ends)
