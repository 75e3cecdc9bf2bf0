"""Causes that this lab cannot make: constructed counters and machines, through the same rules.

A replay shows that the rules blame the right cause for such numbers. It is no proof that hardware
with the cause has such numbers.
"""

from dataclasses import dataclass
from pathlib import Path

from harness.diagnose.build import diagnose_result
from harness.diagnose.facts import Measurements
from harness.diagnose.findings.own_queue import LEAVING_IDLE
from harness.diagnose.readings.activity import CpuFrequency, MachineActivity, SleepActivity
from harness.diagnose.readings.reading import ReadingsHeader
from harness.diagnose.slots import SlotFacts
from harness.labs.diagnose.entries import REPLAYED, Entry
from harness.labs.diagnose.judgement import lab_finding
from harness.labs.diagnose.result import EntryResult, VariantRun
from harness.labs.diagnose.scoring import LOOK_ALIKE, PROGRAM, scored, true_causes
from harness.topdown.result import NodeRecord, TopdownResult
from harness.waits.result import CauseLink, GroupWaits, ThreadWaits, WaitCause, WaitsResult
from topdown.waits.states import ThreadState

_SECOND_NS = 1_000_000_000
_WALL_NS = 10 * _SECOND_NS
_QUEUE_NS = 4 * _SECOND_NS
_CYCLES = "cycles"
Nodes = dict[str, float]
_MEMORY: Nodes = {
    "Backend_Bound": 0.7,
    "Memory_Bound": 0.6,
    "L1_Bound": 0.05,
    "L3_Bound": 0.05,
    "DRAM_Bound": 0.5,
    "Store_Bound": 0.0,
}
_PARTS = ("L1_Bound", "L3_Bound", "DRAM_Bound", "Store_Bound", "Remote_MEM", "False_Sharing")
_STORES: Nodes = {"Backend_Bound": 0.8, "Memory_Bound": 0.7, "L3_Bound": 0.1, "Store_Bound": 0.6}
_SLOW_CPU = CpuFrequency("policy0", 1_200_000, 1_200_000, 2_000_000)


@dataclass(frozen=True, slots=True)
class Replay:
    """What a recording would contain, and its look-alike; ``cause``: kind of the lost time."""

    nodes: Nodes | None = None
    machine: MachineActivity | None = None
    cause: tuple[str, str] | None = None
    threads: int = 2


def _machine(**changes: object) -> MachineActivity:
    header = ReadingsHeader(cpus=2, nodes=1, idle_driver="intel_idle", idle_governor="menu")
    values: dict[str, object] = {"header": header, "seconds": 10.0, "readings": 21, **changes}
    return MachineActivity(**values)  # type: ignore[arg-type]


def _states(share: float) -> tuple[SleepActivity, ...]:
    entries = 5000 if share else 0
    return (SleepActivity("C6", 133, entries, share, 0.0 if entries else None),)


# By cause: the replay, its look-alike, and the true causes of the look-alike.
_REPLAYS: dict[str, tuple[Replay, Replay, tuple[str, ...]]] = {
    "memory-bandwidth": (
        Replay({**_MEMORY, "MEM_Latency": 0.05, "MEM_Bandwidth": 0.45}),
        Replay({**_MEMORY, "MEM_Latency": 0.45, "MEM_Bandwidth": 0.05}),
        ("memory-latency",),
    ),
    "remote-memory": (
        Replay({**_MEMORY, "MEM_Latency": 0.45, "MEM_Bandwidth": 0.05, "Remote_MEM": 0.35}),
        Replay({**_MEMORY, "MEM_Latency": 0.45, "MEM_Bandwidth": 0.05, "Remote_MEM": 0.01}),
        ("memory-latency",),
    ),
    "false-sharing": (
        Replay({**_STORES, "False_Sharing": 0.55}),
        Replay({**_STORES, "False_Sharing": 0.0}),
        ("memory-latency",),
    ),
    "frequency-drop": (
        Replay(machine=_machine(frequencies=(_SLOW_CPU,), fastest_share=0.6, hot_s=4.0)),
        Replay(machine=_machine(frequencies=(_SLOW_CPU,), fastest_share=0.97)),
        (),
    ),
    "sleep-states": (
        Replay(machine=_machine(states=_states(0.6)), cause=("cpu", LEAVING_IDLE)),
        Replay(machine=_machine(states=_states(0.0)), cause=("cpu", "neighbour")),
        ("run-queue",),
    ),
    "steal": (
        Replay(machine=_machine(steal_share=0.4), cause=("steal", "hypervisor")),
        Replay(machine=_machine(steal_share=0.4)),  # of CPUs that the target does not use
        (),
    ),
}


def replayed_entries() -> tuple[Entry, ...]:
    """Return the entries that are replayed."""
    return tuple(
        Entry(
            name=cause,
            cause=cause,
            kind=REPLAYED,
            look_alike_causes=causes,
            reason="needs hardware counters, sleep states, frequencies or a busy hypervisor",
        )
        for cause, (_, _, causes) in _REPLAYS.items()
    )


def replayed_result(entry: Entry) -> EntryResult:
    """Return the result of a replay and its look-alike."""
    replay, look_alike, _ = _REPLAYS[entry.cause]
    rows = ((PROGRAM, replay), (LOOK_ALIKE, look_alike))
    return scored(entry, [_run(entry, variant, row) for variant, row in rows])


def _run(entry: Entry, variant: str, replay: Replay) -> VariantRun:
    measurements = Measurements(slots=_slots(replay.nodes), machine=replay.machine)
    result = diagnose_result(_waits(replay), None, None, measurements)
    true = true_causes(entry, variant)
    findings = [lab_finding(row, true, "", judge_machine=True) for row in result.findings]
    return VariantRun(variant=variant, findings=tuple(findings), rate_per_s=None)


def _slots(nodes: Nodes | None) -> SlotFacts | None:
    if nodes is None:
        return None
    records = {
        name: NodeRecord(
            value=value,
            level=1 if name == "Backend_Bound" else 2,
            parent=None,
            unit=_CYCLES if name in _PARTS else "slots",
            above_threshold=None,
            interval=None,
            impossible=False,
            warnings=(),
            kind="measured",
        )
        for name, value in nodes.items()
    }
    return SlotFacts.of(
        TopdownResult(
            cpu="skx",
            title="replay",
            source="constructed",
            kind="measured",
            verified=False,
            whole=1.0,
            ipc=None,
            nodes=records,
            bottleneck=None,
            bottleneck_why="",
            interval_label="",
            intervals=(),
            facts=(),
            warnings=(),
        )
    )


def _waits(replay: Replay) -> WaitsResult:
    """Return threads that compute, and that wait for the cause if there is one."""
    lost_ns = _QUEUE_NS if replay.cause else 0
    state = "stolen" if replay.cause and replay.cause[0] == "steal" else "run_queue"
    states = {row.name.lower(): 0 for row in ThreadState}
    states.update({"user": _WALL_NS - lost_ns, state: lost_ns})
    threads = tuple(
        ThreadWaits(
            tid=number + 1,
            name="worker",
            states_ns=states,
            pid=1,
            process="work",
            group="worker",
            wall_ns=_WALL_NS,
            run_ns=None,
            queue_ns=None,
        )
        for number in range(replay.threads)
    )
    total = {name: replay.threads * time_ns for name, time_ns in states.items()}
    group = GroupWaits(
        process="work",
        name="worker",
        threads=replay.threads,
        wall_ns=replay.threads * _WALL_NS,
        states_ns=total,
    )
    causes: tuple[WaitCause, ...] = ()
    if replay.cause:
        kind, name = replay.cause
        wait_ns = replay.threads * lost_ns
        chain = tuple(CauseLink(name=link, wait_ns=wait_ns) for link in ("worker", name))
        causes = (WaitCause(kind=kind, name=name, wait_ns=wait_ns, chain=chain),)
    return WaitsResult(
        title="work",
        wall_ns=_WALL_NS,
        threads=threads,
        groups=(group,),
        locks=(),
        causes=causes,
        idle_pools=(),
        run_queue=(),
        timeline=None,
        unattributed_share=None,
        sources=(),
        missing=(),
        warnings=(),
        recording=str(Path("replay")),
        report=None,
    )
