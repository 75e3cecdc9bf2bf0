"""The counting mode: the machine's counters, and the formulas that they allow."""

from dataclasses import dataclass

from stallscope.cpu_lists import cpus_in_list
from stallscope.errors import UnableError
from stallscope.system_files import Roots, names_in, read_integer, read_text
from topdown.slots.model import Model

RAW = 4  # PERF_TYPE_RAW of linux/perf_event.h
_PLAIN = ("cpu", "cpu_core", "cpu_atom", "cpu_lowpower")
_ARM = ("armv8", "armv9")  # DynamIQ, mesh and SPE units are called arm_...
WITHOUT_PMU = (
    "enable hardware counters on the host (a vPMU in a virtual machine); without them, "
    "`stallscope topdown --source model -- CMD` models the slots of a program by simulation, and "
    "`stallscope profile` samples its CPU time"
)


@dataclass(frozen=True, slots=True)
class CorePmu:
    """The kernel's PMU device of one kind of core; ``cpus`` is a CPU list, empty for all CPUs."""

    name: str
    event_type: int
    cpus: str
    events: frozenset[str]

    @property
    def lists_all(self) -> bool:
        """Return whether ``events`` are all events of the CPU, as the arm64 driver lists them."""
        return self.name.startswith(_ARM)


@dataclass(frozen=True, slots=True)
class CountingMode:
    """How events are counted; a model's formulas depend on it.

    ``metrics``: the fields of the slots register (PERF_METRICS) that the kernel offers.
    ``msr_type``: the type of the device that reads the time stamp counter, None without one.
    """

    smt: bool = False
    ebs_mode: bool = False
    metrics: frozenset[str] = frozenset()
    event_type: int = RAW
    msr_type: int | None = None

    @property
    def perf_metrics(self) -> bool:
        """Return whether slots come from the PERF_METRICS register."""
        return bool(self.metrics)


# Kernel names of the register's fields (arch/x86/events/intel/core.c of Linux 6.12).
METRICS = {
    "topdown-retiring": "PERF_METRICS.RETIRING",
    "topdown-bad-spec": "PERF_METRICS.BAD_SPECULATION",
    "topdown-fe-bound": "PERF_METRICS.FRONTEND_BOUND",
    "topdown-be-bound": "PERF_METRICS.BACKEND_BOUND",
    "topdown-heavy-ops": "PERF_METRICS.HEAVY_OPERATIONS",
    "topdown-br-mispredict": "PERF_METRICS.BRANCH_MISPREDICTS",
    "topdown-fetch-lat": "PERF_METRICS.FETCH_LATENCY",
    "topdown-mem-bound": "PERF_METRICS.MEMORY_BOUND",
}


def core_pmu(roots: Roots) -> CorePmu:
    """Return the PMU of this machine's cores.

    Raises UnableError without a PMU, and for several kinds of cores: their slots differ, and a
    process moves between them.
    """
    devices = roots.sys / "bus" / "event_source" / "devices"
    names = [name for name in names_in(devices) if name in _PLAIN or name.startswith(_ARM)]
    if not names:
        raise UnableError(
            "this machine has no hardware counters (no CPU in /sys/bus/event_source/devices)",
            WITHOUT_PMU,
        )
    pmus = [
        CorePmu(
            name,
            event_type if (event_type := read_integer(devices / name / "type")) else RAW,
            read_text(devices / name / "cpus") or "",
            frozenset(names_in(devices / name / "events")),
        )
        for name in names
    ]
    if len(pmus) > 1 or pmus[0].name in ("cpu_core", "cpu_atom", "cpu_lowpower"):
        kinds = ", ".join(f"{pmu.name} on CPUs {pmu.cpus or '?'}" for pmu in pmus)
        raise UnableError(
            f"this CPU has several kinds of cores ({kinds}), whose slots are not comparable",
            "`stallscope profile` samples CPU time; `stallscope topdown --source model -- CMD` "
            "models the slots of a program by simulation",
        )
    return pmus[0]


def counting_mode_of(model: Model, roots: Roots, *, per_process: bool) -> CountingMode:
    """Return the counting mode of a model on the machine at the roots.

    ``per_process``: processes, threads or a cgroup are counted, not whole CPUs. Before Ice Lake the
    two threads of a core share its slots, so that they can only be estimated for a process.
    """
    pmu = core_pmu(roots)
    smt = read_integer(roots.sys / "devices" / "system" / "cpu" / "smt" / "active") == 1
    metrics: frozenset[str] = frozenset()
    if "generic" in model.variants and "slots" in pmu.events:
        metrics = frozenset(METRICS[name] for name in METRICS if name in pmu.events)
    return CountingMode(
        smt=smt,
        ebs_mode=smt and per_process and "ebs_mode" in model.variants,
        metrics=metrics,
        event_type=RAW if pmu.name == "cpu" else pmu.event_type,
        msr_type=read_integer(roots.sys / "bus" / "event_source" / "devices" / "msr" / "type"),
    )


def lone_siblings(cpus: str, roots: Roots) -> tuple[int, ...]:
    """Return the CPUs of a list such as "0,2-3" whose core's other thread is not in the list."""
    listed = frozenset(cpus_in_list(cpus))
    lone = []
    for cpu in sorted(listed):
        topology = roots.sys / "devices" / "system" / "cpu" / f"cpu{cpu}" / "topology"
        siblings = cpus_in_list(read_text(topology / "thread_siblings_list", 4096) or "")
        if not listed.issuperset(siblings):
            lone.append(cpu)
    return tuple(lone)
