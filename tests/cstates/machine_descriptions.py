"""Descriptions of machine trees: tables of states, drivers and a few settings."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from cstates.tables import load_table
from stallscope.cpu_lists import format_cpu_list

CPU = "sys/devices/system/cpu"


@dataclass(frozen=True)
class Scaling:
    """A frequency driver with a policy per CPU, or per core if shared; in kHz."""

    driver: str
    governor: str
    governors: str
    least: int
    most: int
    base: int | None = None
    limit: int | None = None  # scaling_max_freq where it is not the most
    epp: str | None = None
    shared: bool = False
    files: dict[str, str] = field(default_factory=dict)  # of the driver, below the CPUs' folder


@dataclass(frozen=True)
class Description:
    """A machine; equal states have equal generated counters."""

    name: str
    note: str
    table: str | None
    cpus: int = 4
    driver: str = "intel_idle"
    governor: str = "menu"
    governors: str = "ladder menu teo"
    offline: tuple[int, ...] = ()
    disabled: tuple[tuple[int, str], ...] = ()  # CPU and state
    closed_by_default: tuple[str, ...] = ()
    limit_us: int | None = None
    holder: str | None = None  # of /dev/cpu_dma_latency
    resume_limits: dict[int, str] = field(default_factory=dict)
    scaling: Scaling | None = None
    bias: int | None = None
    smt: str = "on"
    cmdline: str = "BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro quiet"
    release: str = "6.12.0"


INTEL_GOVERNORS = "performance powersave"
ALL_GOVERNORS = "conservative ondemand userspace powersave performance schedutil"
DESCRIPTIONS = (
    Description(
        name="nehalem-ep-workstation",
        note="Xeon X5650 with intel_idle, menu and acpi-cpufreq",
        table="neo-go:Z600",
        scaling=Scaling(
            "acpi-cpufreq",
            "ondemand",
            ALL_GOVERNORS,
            1_596_000,
            2_661_000,
            files={"cpufreq/boost": "1"},
        ),
    ),
    Description(
        name="skylake-client",
        note="Core i7-6600U with intel_idle, teo and intel_pstate active; EPP and EPB",
        table="neo-go:deco",
        governor="teo",
        bias=6,
        scaling=Scaling(
            "intel_pstate",
            "powersave",
            INTEL_GOVERNORS,
            400_000,
            3_400_000,
            base=2_800_000,
            epp="balance_performance",
            files={"intel_pstate/status": "active", "intel_pstate/no_turbo": "0"},
        ),
    ),
    Description(
        name="ice-lake-server",
        note="Xeon Ice Lake: tuned holds a latency limit of 100 us, intel_pstate passive",
        table="pepc:icx2s0",
        limit_us=100,
        holder="tuned",
        scaling=Scaling(
            "intel_cpufreq",
            "schedutil",
            ALL_GOVERNORS,
            800_000,
            3_500_000,
            base=2_300_000,
            files={"intel_pstate/status": "passive", "intel_pstate/no_turbo": "0"},
        ),
    ),
    Description(
        name="sapphire-rapids-server",
        note="Xeon Sapphire Rapids: C1E off by default, turbo off, frequency limited",
        table="pepc:spr1",
        closed_by_default=("C1E",),
        bias=0,
        scaling=Scaling(
            "intel_pstate",
            "performance",
            INTEL_GOVERNORS,
            800_000,
            3_800_000,
            base=2_000_000,
            limit=2_000_000,
            epp="performance",
            files={"intel_pstate/status": "active", "intel_pstate/no_turbo": "1"},
        ),
    ),
    Description(
        name="zen4-server",
        note="EPYC 9354 with acpi_idle, menu and amd_pstate active",
        table="pepc:genoa0",
        driver="acpi_idle",
        scaling=Scaling(
            "amd-pstate-epp",
            "powersave",
            INTEL_GOVERNORS,
            400_000,
            3_800_000,
            epp="balance_performance",
            files={
                "amd_pstate/status": "active",
                "cpufreq/boost": "1",
                "cpu0/acpi_cppc/nominal_freq": "3250",
                "cpu1/acpi_cppc/nominal_freq": "3250",
                "cpu2/acpi_cppc/nominal_freq": "3250",
                "cpu3/acpi_cppc/nominal_freq": "3250",
            },
        ),
    ),
    Description(
        name="intel-pstate-server",
        note="Xeon Cascade Lake with intel_pstate active and no HWP: no EPP, no base frequency",
        table="pepc:clx2s0",
        bias=7,
        scaling=Scaling(
            "intel_pstate",
            "powersave",
            INTEL_GOVERNORS,
            1_000_000,
            3_900_000,
            files={
                "intel_pstate/status": "active",
                "intel_pstate/no_turbo": "0",
                "intel_pstate/min_perf_pct": "25",
                "intel_pstate/max_perf_pct": "100",
                "intel_pstate/turbo_pct": "52",
                "intel_pstate/num_pstates": "30",
            },
        ),
    ),
    Description(
        name="amd-pstate-server",
        note="EPYC 9354 with amd_pstate guided, boost forbidden",
        table="pepc:genoa0",
        driver="acpi_idle",
        scaling=Scaling(
            "amd-pstate",
            "schedutil",
            ALL_GOVERNORS,
            400_000,
            3_800_000,
            limit=3_250_000,
            files={
                "amd_pstate/status": "guided",
                "amd_pstate/prefcore": "enabled",
                "cpufreq/boost": "0",
                **{f"cpu{cpu}/acpi_cppc/nominal_freq": "3250" for cpu in range(4)},
            },
        ),
    ),
    Description(
        name="acpi-cpufreq-server",
        note="EPYC 7742 with acpi-cpufreq: a policy for each core, tunables of ondemand",
        table="pepc:rome0",
        driver="acpi_idle",
        scaling=Scaling(
            "acpi-cpufreq",
            "ondemand",
            ALL_GOVERNORS,
            1_500_000,
            2_250_000,
            shared=True,
            files={
                "cpufreq/boost": "1",
                "cpufreq/ondemand/up_threshold": "95",
                "cpufreq/ondemand/sampling_rate": "4000",
                "cpufreq/ondemand/io_is_busy": "1",
                **{f"cpu{cpu}/acpi_cppc/nominal_freq": "2250" for cpu in range(4)},
            },
        ),
    ),
    Description(
        name="haltpoll-vm",
        note="guest with haltpoll, without frequency control",
        table="vm:haltpoll",
        cpus=2,
        driver="haltpoll",
        governor="haltpoll",
        governors="ladder menu haltpoll",
        smt="notsupported",
    ),
    Description(
        name="no-cpuidle",
        note="booted with idle=poll: no driver, no states",
        table=None,
        cpus=2,
        driver="none",
        cmdline="BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro idle=poll",
        smt="notimplemented",
    ),
    Description(
        name="offline-cpus",
        note="CPUs 1 and 3 are offline; CPU 2 has C6 disabled and CPU 0 the strictest own limit",
        table="pepc:sklep0",
        cpus=4,
        offline=(1, 3),
        disabled=((2, "C6"),),
        resume_limits={0: "n/a"},
    ),
)


def files_of(machine: Description) -> dict[str, str]:
    """Return the files of a machine tree by path."""
    files = dict(_whole(machine))
    for cpu in range(machine.cpus):
        files.update((f"{CPU}/cpu{cpu}/{place}", text) for place, text in _cpu(machine, cpu))
    if machine.scaling:
        files.update(_scaling(machine, machine.scaling))
    return files


def _whole(machine: Description) -> Iterator[tuple[str, str]]:
    online = [cpu for cpu in range(machine.cpus) if cpu not in machine.offline]
    yield f"{CPU}/online", format_cpu_list(online)
    yield f"{CPU}/present", format_cpu_list(range(machine.cpus))
    yield f"{CPU}/offline", format_cpu_list(machine.offline)
    yield f"{CPU}/smt/control", machine.smt
    yield f"{CPU}/smt/active", "1" if machine.smt == "on" else "0"
    yield f"{CPU}/cpuidle/current_driver", machine.driver
    for name in ("current_governor", "current_governor_ro"):
        yield f"{CPU}/cpuidle/{name}", machine.governor
    yield f"{CPU}/cpuidle/available_governors", machine.governors
    yield "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never"
    yield "proc/cmdline", machine.cmdline
    yield "proc/uptime", "100000.00 350000.00"
    yield "proc/cpuinfo", r"processor\t: 0\nvendor_id\t: made\nmodel name\t: " + machine.note
    for place, text in (
        ("osrelease", machine.release), ("hostname", machine.name), ("version", "#1 SMP made"),
        ("random/boot_id", "00000000-0000-4000-8000-000000000000"),
        ("randomize_va_space", "2"), ("numa_balancing", "0"), ("nmi_watchdog", "1"),
    ):  # fmt: skip
        yield f"proc/sys/kernel/{place}", text
    yield "proc/irq/24/smp_affinity_list", format_cpu_list(range(machine.cpus))
    yield "proc/1/comm", "systemd"
    yield "proc/1/fd/0", "-> /dev/null"
    if machine.holder:
        yield "proc/812/comm", machine.holder
        yield "proc/812/fd/7", "-> /dev/cpu_dma_latency"
    limit = 2_000_000_000 if machine.limit_us is None else machine.limit_us
    yield "dev/cpu_dma_latency", f"hex {struct.pack('=i', limit).hex()}"


def _cpu(machine: Description, cpu: int) -> Iterator[tuple[str, str]]:
    yield "power/pm_qos_resume_latency_us", machine.resume_limits.get(cpu, "0")
    if cpu:
        yield "online", "0" if cpu in machine.offline else "1"
    half = machine.cpus // 2
    pair = (cpu % half, cpu % half + half) if machine.smt == "on" else (cpu,)
    yield "topology/thread_siblings_list", format_cpu_list(pair)
    yield "topology/core_id", str(pair[0])
    if machine.bias is not None:
        yield "power/energy_perf_bias", str(machine.bias)
    if machine.table is None:
        return
    for index, state in enumerate(load_table(machine.table).states):
        off = state.name in machine.closed_by_default or not state.enabled
        usage = 100_000 * (index + 1) + 10 * cpu
        for place, text in (
            ("name", state.name),
            ("desc", state.description),
            ("latency", str(state.exit_latency_us)),
            ("residency", str(state.target_residency_us)),
            ("disable", "1" if off or (cpu, state.name) in machine.disabled else "0"),
            ("default_status", "disabled" if off else "enabled"),
            ("usage", "0" if off else str(usage)),
            ("time", "0" if off else str(usage * 3000 * index)),
            ("above", "0" if off or not index else str(usage // 4)),
            ("below", "0" if off else str(usage // 10)),
            ("rejected", "0"),
        ):
            yield f"cpuidle/state{index}/{place}", text


def _scaling(machine: Description, scaling: Scaling) -> Iterator[tuple[str, str]]:
    for place, text in scaling.files.items():
        yield f"{CPU}/{place}", text
    half = machine.cpus // 2
    for cpu in range(half if scaling.shared else machine.cpus):
        folder = f"{CPU}/cpufreq/policy{cpu}"
        members = f"{cpu} {cpu + half}" if scaling.shared else str(cpu)
        for place, text in (
            ("affected_cpus", members),
            ("related_cpus", members),
            ("scaling_driver", scaling.driver),
            ("scaling_governor", scaling.governor),
            ("scaling_available_governors", scaling.governors),
            ("scaling_min_freq", str(scaling.least)),
            ("scaling_max_freq", str(scaling.limit or scaling.most)),
            ("cpuinfo_min_freq", str(scaling.least)),
            ("cpuinfo_max_freq", str(scaling.most)),
            ("scaling_cur_freq", str(scaling.least)),
        ):
            yield f"{folder}/{place}", text
        if scaling.base:
            yield f"{folder}/base_frequency", str(scaling.base)
        if scaling.epp:
            yield f"{folder}/energy_performance_preference", scaling.epp
            known = "default performance balance_performance balance_power power"
            yield f"{folder}/energy_performance_available_preferences", known
