"""Records of waits built from timelines in text, for tests of states, locks and causes.

A line per thread: its name, optionally ``@CPU`` and ``/PROCESS`` (default: CPU 0, process
"target"; a process that begins with "!" is no target, and "!swapper" is the idle one), then its intervals in time order::

    A R0-10 W(B)10-90 Q90-100 R100-110
    B@1 R0-20 W(disk,read)20-90 R90-100 X100
    cp/!other R0-5

R runs, W sleeps, Q waits for a CPU: after W from its wake-up on, after R as a preempted thread.
``W(WAKER,PLACE)``: WAKER is a thread of the text, a thread followed by "*" (it sends a packet over
loopback), a key of ``WAKER_CONTEXTS``, or "?" (no wake-up is recorded). PLACE is a key of ``places``; without it, the wait has no switch sample; ``Q(?,PLACE)``
is the same for a preempted thread. ``R(PLACE)`` gives the place of CPU samples. ``B5`` is a start, ``X100`` an exit, ``E7`` an exec.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from topdown.waits.records import (
    NO_STACK,
    NO_THREAD,
    CpuSamples,
    Switches,
    SwitchKind,
    SwitchSamples,
    TaskEvents,
    TaskKind,
    ThreadReading,
    WaitingThread,
    WaitRecords,
    WakeContext,
    WakeUps,
)
from topdown.waits.stack_names import StackNames

WAKER_CONTEXTS = {
    "timer": WakeContext.HARD_INTERRUPT,
    "interrupt": WakeContext.HARD_INTERRUPT,
    "disk": WakeContext.SOFT_INTERRUPT,
    "network": WakeContext.SOFT_INTERRUPT,
    "backlog": WakeContext.SOFT_INTERRUPT,
}
WAKER_STACKS = {  # kernel chains that tell the sources apart, leaf first
    "timer": ("hrtimer_wakeup", "__hrtimer_run_queues", "sysvec_apic_timer_interrupt"),
    "interrupt": ("irq_handler", "common_interrupt"),
    "disk": ("blk_update_request", "blk_done_softirq", "handle_softirqs", "common_interrupt"),
    "network": ("sock_def_readable", "tcp_rcv_established", "net_rx_action", "handle_softirqs"),
    "backlog": ("sock_def_readable", "tcp_v4_rcv", "process_backlog", "run_ksoftirqd"),
    "sent": ("sock_def_readable", "tcp_v4_rcv", "process_backlog", "tcp_write_xmit", "tcp_sendmsg"),
}
MILLISECOND = 1_000_000
TASK_KINDS = {"B": TaskKind.START, "X": TaskKind.EXIT, "E": TaskKind.EXEC}
_Token = tuple[str, list[str], int, int]  # kind, options, begin, end
TOKEN = re.compile(r"([RWQ])(?:\(([^)]*)\))?([\d.]+)-([\d.]+)|([BXE])([\d.]+)")


@dataclass(frozen=True)
class Place:
    """Where a thread waits or runs: stack, system call and its arguments."""

    user: Sequence[str] = ("main",)  # leaf first
    kernel: Sequence[str] = ()
    syscall: int = -1  # number; -1: not known
    arguments: Sequence[int] = ()
    in_syscall: bool = True  # registers look like those of a blocked system call


@dataclass(frozen=True)
class BuiltRecords:
    """Records with the names of their stacks and the system calls of their switch samples."""

    records: WaitRecords
    names: StackNames
    syscalls: "np.ndarray[Any, np.dtype[np.int32]]"  # per switch sample, -1 not known


@dataclass
class _Rows:
    switches: list[tuple[int, int, int, int]] = field(default_factory=list)
    samples: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    registers: list[list[int]] = field(default_factory=list)
    wake_ups: list[tuple[int, int, int, int, int, int]] = field(default_factory=list)
    tasks: list[tuple[int, int, int]] = field(default_factory=list)
    cpu_samples: list[tuple[int, int, int, int]] = field(default_factory=list)
    readings: list[ThreadReading] = field(default_factory=list)


def build_records(
    text: str,
    *,
    places: Mapping[str, Place] | None = None,
    unit_ns: int = MILLISECOND,
    end: float | None = None,
    wakers: bool = True,
    cpu_sample_every: float | None = None,
    readings: bool = True,
    whole_cpus: bool = False,
    **changes: Any,
) -> BuiltRecords:
    """Return the records of the timelines in ``text`` from time 0 to ``end`` (default: the last).

    ``changes`` are further fields of WaitRecords. Thread i of the text has TID 100 + i and is
    thread i of the records; processes have PIDs from 1000.
    """
    places = dict(places or {})
    lines = [line.split() for line in text.strip().splitlines() if line.strip()]
    threads, cpus = _threads([words[0] for words in lines])
    numbers = {thread.name: number for number, thread in enumerate(threads)}
    stack_numbers, stacks = {}, []
    for key, place in places.items():
        stack_numbers[key] = len(stacks)
        stacks.append((tuple(place.kernel), tuple(place.user)))
    for key, frames in WAKER_STACKS.items():
        stack_numbers["waker " + key] = len(stacks)
        stacks.append((frames, ()))
    rows = _Rows()
    timelines = [_tokens(words[1:], unit_ns) for words in lines]
    last = max(token[3] for timeline in timelines for token in timeline)
    end_ns = last if end is None else round(end * unit_ns)
    builder = _Builder(
        rows=rows,
        numbers=numbers,
        places=places,
        stack_numbers=stack_numbers,
        sample_ns=None if cpu_sample_every is None else round(cpu_sample_every * unit_ns),
        end_ns=end_ns,
    )
    for thread, timeline in enumerate(timelines):
        builder.add(thread, cpus[thread], timeline, readings=readings)
    records = WaitRecords(
        begin_ns=0,
        end_ns=end_ns,
        threads=threads,
        switches=_switches(rows, whole_cpus=whole_cpus),
        switch_samples=_samples(rows),
        wake_ups=_wake_ups(rows) if wakers else None,
        tasks=TaskEvents(*_columns(rows.tasks, "u8 u4 u1")),
        cpu_samples=_cpu_samples(rows, round((cpu_sample_every or 0) * unit_ns)),
        readings=tuple(sorted(rows.readings, key=lambda reading: reading.at_ns)),
        whole_cpus=whole_cpus,
        cpus=max(cpus) + 1,
        **changes,
    )
    syscalls = np.array([row[4] for row in rows.samples], np.int32)
    return BuiltRecords(records, StackNames.build(stacks), syscalls)


def _threads(words: list[str]) -> tuple[tuple[WaitingThread, ...], list[int]]:
    threads, cpus, pids = [], [], dict[str, int]()
    for word in words:
        rest, _, process = word.partition("/")
        name, _, cpu = rest.partition("@")
        target = not process.startswith("!")
        process = process.lstrip("!") or "target"
        pid = 0 if process == "swapper" else pids.setdefault(process, 1000 + len(pids))
        threads.append(WaitingThread(pid, 100 + len(threads), name, process, target))
        cpus.append(int(cpu or 0))
    return tuple(threads), cpus


def _tokens(words: list[str], unit_ns: int) -> list[_Token]:
    tokens = []
    for word in words:
        match = TOKEN.fullmatch(word)
        assert match, f"not an interval: {word}"
        letter, options, begin, end, event, at = match.groups()
        if event:
            tokens.append((event, [], round(float(at) * unit_ns), round(float(at) * unit_ns)))
        else:
            times = (round(float(begin) * unit_ns), round(float(end) * unit_ns))
            tokens.append((letter, options.split(",") if options else [], *times))
    return tokens


@dataclass(frozen=True)
class _Builder:
    """Turns the timelines of threads into rows."""

    rows: _Rows
    numbers: Mapping[str, int]
    places: Mapping[str, Place]
    stack_numbers: Mapping[str, int]
    sample_ns: int | None
    end_ns: int

    def add(self, thread: int, cpu: int, timeline: list[_Token], *, readings: bool) -> None:
        """Add the rows of a thread."""
        intervals = [token for token in timeline if token[0] in "RWQ"]
        for kind, _, begin, _ in timeline:
            if kind in "BXE":
                self.rows.tasks.append((begin, thread, TASK_KINDS[kind]))
        events = {kind for kind, *_ in timeline}
        previous = "W" if "B" in events else ""
        for position, interval in enumerate(intervals):
            last = position + 1 == len(intervals)
            self._add_switch(thread, cpu, interval, previous)
            if interval[0] == "Q" and previous == "R" and len(interval[1]) > 1:
                self._add_sample(interval[2], thread, interval[1][1])
            if interval[0] == "W":
                self._add_wait(thread, cpu, interval, asleep_before=previous != "R", last=last)
            if interval[0] == "R":
                self._add_cpu_samples(thread, cpu, interval)
            previous = interval[0]
        if readings and intervals:
            self._add_readings(thread, intervals, events)

    def _add_switch(self, thread: int, cpu: int, interval: _Token, previous: str) -> None:
        kind, _, begin, _ = interval
        if kind == "R" and previous:
            self.rows.switches.append((begin, thread, cpu, SwitchKind.IN))
        if previous == "R" and kind in "WQ":
            out = SwitchKind.OUT_ASLEEP if kind == "W" else SwitchKind.OUT_PREEMPTED
            self.rows.switches.append((begin, thread, cpu, out))

    def _add_wait(
        self, thread: int, cpu: int, interval: _Token, *, asleep_before: bool, last: bool
    ) -> None:
        _, options, begin, end = interval
        waker, place = [*options, "?", ""][:2] if len(options) != 1 else [options[0], ""]
        if place and not asleep_before:
            self._add_sample(begin, thread, place)
        if waker != "?" and not last:
            context = WAKER_CONTEXTS.get(waker, WakeContext.TASK)
            stack = self.stack_numbers.get("waker " + waker, NO_STACK)
            if waker.endswith("*"):
                context, stack = WakeContext.SOFT_INTERRUPT, self.stack_numbers["waker sent"]
            number = self.numbers.get(waker.removesuffix("*"), NO_THREAD)
            row = (end, thread, number, cpu, context, stack)
            self.rows.wake_ups.append(row)

    def _add_sample(self, time_ns: int, thread: int, place_key: str) -> None:
        place, rows = self.places[place_key], self.rows
        arguments = [*place.arguments, *[0] * 6][:6]
        ip, blocked = 0x401000, place.in_syscall
        result = -38 % 2**64 if blocked else 0
        rows.registers.append([ip, 0x7FFF0000, result, *arguments, ip if blocked else 0])
        stack = self.stack_numbers[place_key]
        rows.samples.append((time_ns, thread, stack, len(rows.registers) - 1, place.syscall))

    def _add_cpu_samples(self, thread: int, cpu: int, interval: _Token) -> None:
        _, options, begin, end = interval
        if self.sample_ns:
            stack = self.stack_numbers[options[0]] if options else NO_STACK
            times = range(begin + self.sample_ns // 2, end, self.sample_ns)
            self.rows.cpu_samples += [(time, thread, cpu, stack) for time in times]

    def _add_readings(self, thread: int, intervals: list[_Token], events: set[str]) -> None:
        readings = self.rows.readings
        if "B" not in events:
            readings.append(ThreadReading(0, thread, _letter(intervals[0]), 0, 0))
        if "X" not in events:
            lasting = [*intervals[:-1], (*intervals[-1][:3], self.end_ns)]
            run, queue = (sum(i[3] - i[2] for i in lasting if i[0] == kind) for kind in "RQ")
            readings.append(ThreadReading(self.end_ns, thread, _letter(intervals[-1]), run, queue))


def _letter(interval: _Token) -> str:
    return "S" if interval[0] == "W" else "R"


def _columns(rows: list[Any], types: str) -> list[Any]:
    names = types.split()
    ordered = sorted(rows, key=lambda row: row[0])
    columns = list(zip(*ordered, strict=True)) or [()] * len(names)
    return [np.array(column, name) for column, name in zip(columns, names, strict=True)]


def _switches(rows: _Rows, *, whole_cpus: bool) -> Switches:
    # A switch-out comes before the switch-in of the next thread at the same time.
    rows.switches.sort(key=lambda row: (row[0], row[3] == SwitchKind.IN))
    time_ns, thread, cpu, kind = _columns(rows.switches, "u8 u4 i4 u1")
    other = np.full(len(time_ns), NO_THREAD, np.uint32)
    if whole_cpus:
        moments: dict[tuple[int, int, bool], int] = {}
        for row in range(len(time_ns)):
            key = (int(time_ns[row]), int(cpu[row]), kind[row] == SwitchKind.IN)
            moments[key] = int(thread[row])
        for row in range(len(time_ns)):
            key = (int(time_ns[row]), int(cpu[row]), kind[row] != SwitchKind.IN)
            other[row] = moments.get(key, NO_THREAD)
    return Switches(time_ns, thread, cpu, kind, other)


def _samples(rows: _Rows) -> SwitchSamples:
    rows.samples.sort(key=lambda row: row[0])
    time_ns, thread, stack, register_row, _ = _columns(rows.samples, "u8 u4 u4 u4 i4")
    registers = np.array(rows.registers, np.uint64).reshape(-1, 10)
    return SwitchSamples(time_ns, thread, stack, register_row, registers)


def _wake_ups(rows: _Rows) -> WakeUps:
    return WakeUps(*_columns(rows.wake_ups, "u8 u4 u4 i4 u1 u4"))


def _cpu_samples(rows: _Rows, period_ns: int) -> CpuSamples:
    time_ns, thread, cpu, stack = _columns(rows.cpu_samples, "u8 u4 i4 u4")
    period = np.full(len(time_ns), period_ns, np.uint64)
    return CpuSamples(time_ns, thread, cpu, stack, period)
