"""Programs with known symbols, compiled once, and captures made by hand."""

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from topdown.stacks.profile import Profile
from topdown.stacks.symbols.sources import SymbolSources

USER, KERNEL = 0, 1
BASE = 0xFFFFFFFF81000000
PROGRAM = r"""
#include <stdio.h>
namespace shop {
struct Basket {
  template <class T> __attribute__((noinline)) T fill(T n) { return n * 3; }
};
static inline __attribute__((always_inline)) int innermost(int n) {
  volatile int k = n;
  k = k * 7;
  return k;
}
static inline __attribute__((always_inline)) int middle(int n) {
  volatile int k = innermost(n);
  k = k + 1;
  return k;
}
__attribute__((noinline)) int outer(int n) {
  volatile int k = middle(n);
  return k + innermost(n + 2);
}
}
extern "C" __attribute__((noinline)) int plain(int n) { return n + 1; }
static __attribute__((noinline)) int hidden(int n) { return n - 1; }
extern "C" int alias_of_plain(int n) __attribute__((alias("plain"), weak));
int main(int count, char**) {
  shop::Basket basket;
  printf("%d\n", shop::outer(count) + plain(count) + hidden(count) + basket.fill(count));
}
"""


@dataclass
class Programs:
    """Paths of one program: with debug information, stripped, and the split-off information."""

    full: Path
    stripped: Path
    linked: Path  # stripped, with a debug link
    debug: Path
    build_id: bytes


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    folder = tmp_path_factory.mktemp("programs")
    source = folder / "shop.cc"
    source.write_text(PROGRAM)
    full, stripped, linked = folder / "full", folder / "stripped", folder / "linked"
    debug = folder / "full.debug"
    run("g++", "-O1", "-g", "-fno-omit-frame-pointer", "-Wl,--build-id", source, "-o", full)
    run("objcopy", "--only-keep-debug", full, debug)
    run("strip", full, "-o", stripped)
    run("objcopy", f"--add-gnu-debuglink={debug}", stripped, linked)
    notes = run("readelf", "-n", full)
    return Programs(
        full, stripped, linked, debug, bytes.fromhex(notes.split("Build ID: ")[1].split()[0])
    )


def run(*command: object) -> str:
    return subprocess.run(
        [str(part) for part in command], check=True, capture_output=True, text=True
    ).stdout


def symbol_addresses(path: Path) -> dict[str, int]:
    """Name (without version) to address, as nm has it."""
    lines = [line.split() for line in run("nm", path).splitlines()]
    return {line[2].split("@")[0]: int(line[0], 16) for line in lines if len(line) == 3}


@dataclass
class FakeObject:
    path: bytes
    build_id: bytes = b""
    kernel: bool = False
    pid: int = 0
    start: int = 0
    length: int = 0
    page_offset: int = 0
    major: int = 0
    minor: int = 0
    inode: int = 0


@dataclass
class FakeThread:
    pid: int
    tid: int
    name: bytes = b"name"
    process_name: bytes = b"process"


@dataclass
class FakeAttribute:
    name: str = "cpu-clock"
    type: int = 1
    config: int = 0
    frequency_hz: int = 999
    period: int = 0
    exclude_user: bool = False
    exclude_kernel: bool = False


@dataclass
class FakeCapture:
    """The arrays of a native Capture, from frames (object, address, kind) and stacks of them."""

    frames: list[tuple[int, int, int]] = field(default_factory=list)
    stacks: list[list[int]] = field(default_factory=list)  # leaf first
    samples: list[tuple[int, int, int]] = field(default_factory=list)  # stack, thread, period
    objects: list[FakeObject] = field(default_factory=list)
    threads: list[FakeThread] = field(default_factory=lambda: [FakeThread(7, 7)])
    attributes: list[FakeAttribute] = field(default_factory=lambda: [FakeAttribute()])
    events: list[int] | None = None
    ends: list[int] | None = None  # of each stack; None: the kernel's own chains
    lost_records: int = 0
    lost_samples: int = 0
    throttles: int = 0
    unknown_records: int = 0
    deferred_stacks: int = 0
    truncated_at: int | None = None

    def __post_init__(self) -> None:
        rows = np.array(self.frames, object).reshape(-1, 3)
        self.frame_object = rows[:, 0].astype(np.int32)
        self.frame_address = rows[:, 1].astype(np.uint64)
        self.frame_kind = rows[:, 2].astype(np.uint8)
        lengths = [len(stack) for stack in self.stacks]
        self.stack_offset = np.cumsum([0, *lengths]).astype(np.uint64)
        self.stack_frame = np.array([f for stack in self.stacks for f in stack], np.uint32)
        self.stack_end = np.array(self.ends or [0] * len(lengths), np.uint8)
        taken = np.array(self.samples, np.int64).reshape(-1, 3)
        self.stack = taken[:, 0].astype(np.uint32)
        self.thread = taken[:, 1].astype(np.uint32)
        self.period = taken[:, 2].astype(np.uint64)
        self.time_ns = np.arange(1, len(taken) + 1, dtype=np.uint64) * np.uint64(10**9)
        self.event = np.array(self.events or [0] * len(taken), np.uint16)
        self.read = np.zeros(0, np.uint32)


def paths(profile: Profile) -> dict[str, int]:
    """Samples by path of names."""
    addresses: dict[str, int] = {}
    for node, samples in zip(profile.weight_node, profile.weight_samples, strict=True):
        names = []
        at = int(node)
        while at > 0:
            names.append(profile.functions[int(profile.node_function[at])].name)
            at = int(profile.node_parent[at])
        path = ";".join(reversed(names))
        addresses[path] = addresses.get(path, 0) + int(samples)
    return addresses


def file_offset(programs: Programs, name: str) -> int:
    """The offset in the file of a function's second byte."""
    from stallscope.regular_file import open_regular
    from topdown.stacks.elf.file import ElfFile

    address = symbol_addresses(programs.full)[name] + 1
    with open_regular(programs.full) as file:
        for load in ElfFile(file).segments:
            start = int(load["address"])
            if load["type"] == 1 and start <= address < start + int(load["file_size"]):
                return address - start + int(load["offset"])
    raise AssertionError(name)


class Made:
    """What tests take from here, as files of tests cannot import one another."""

    Capture = FakeCapture
    Object = FakeObject
    Thread = FakeThread
    Attribute = FakeAttribute
    run = staticmethod(run)
    paths = staticmethod(paths)
    file_offset = staticmethod(file_offset)
    symbol_addresses = staticmethod(symbol_addresses)


@pytest.fixture(scope="session")
def made() -> type[Made]:
    return Made


@pytest.fixture
def sources(tmp_path):
    (tmp_path / "kallsyms").write_bytes(
        b"%x T _stext\n%x T do_syscall_64\n%x T ret_from_fork_asm\n%x t worker\t[ext4]\n%x T end\n"
        % (BASE, BASE + 0x100, BASE + 0x200, BASE + 0x300, BASE + 0x400)
    )
    return SymbolSources(recording=tmp_path, debug_directories=())


@pytest.fixture
def shop(programs, made):
    """A function that makes a capture over the known program; frames by name."""
    names = ["_start", "main", "_ZN4shop5outerEi", "plain"]
    frames = [(0, file_offset(programs, name), USER) for name in names]
    frames += [(0, 1 << 40, USER), (1, BASE + 0x110, KERNEL), (1, BASE + 0x210, KERNEL)]
    frames += [(1, BASE + 0x310, KERNEL), (-1, 0xDEAD, USER)]
    start, main, outer, plain, unknown, syscall, fork, worker, nowhere = range(9)
    objects = [
        made.Object(os.fsencode(programs.full), programs.build_id),
        made.Object(b"[kernel.kallsyms]", kernel=True),
    ]
    number = {
        "start": start, "main": main, "outer": outer, "plain": plain, "unknown": unknown,
        "syscall": syscall, "fork": fork, "worker": worker, "nowhere": nowhere,
    }  # fmt: skip

    def capture(*stacks: str, periods: list[int] | None = None, **more):
        rows = [[number[name] for name in stack.split()] for stack in stacks]
        weights = periods or [1000] * len(rows)
        samples = [(index, 0, weight) for index, weight in enumerate(weights)]
        return made.Capture(frames, rows, samples, objects, **more)

    return capture
