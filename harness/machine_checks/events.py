"""Checks of events: hardware counters, the software clock, kernel code, all CPUs."""

from harness.machine_checks.check import Check, available, limited, unavailable
from harness.machine_checks.machine import CheckedMachine
from harness.machine_checks.probes import Probe

DEFAULT_FREQUENCY_HZ = 999
REJECTED = ("EACCES", "EPERM")
PARANOID_MEANING = {
    -1: "every user may sample everything",
    0: "every user may sample all CPUs and the kernel, but not tracepoints",
    1: "every user may sample own processes with their kernel code, but not all CPUs",
    2: "every user may sample only user code of own processes",
}
CONTAINER_REMEDY = (
    "start the container with: docker run --cap-add PERFMON --cap-add SYS_PTRACE "
    "--security-opt seccomp=unconfined"
)
# By test: what an older kernel does not record, the consequence, and the first kernel that does.
KERNEL_FEATURES = {
    "build-id": (
        "build ids of mapped files: elsewhere, or after an update, functions stay unnamed",
        "5.12",
    ),
    "format-lost": ("lost samples by event: they are counted by CPU", "6.0"),
}
LIBVIRT_REMEDY = (
    "none inside the guest; on its host: QEMU -cpu host,pmu=on (VMware: vpmc.enable = TRUE; "
    "clouds: a .metal or whole-socket size)"
)


def lower_paranoid(machine: CheckedMachine, level: int) -> str:
    """Return the command that sets kernel.perf_event_paranoid until the next boot."""
    return machine.as_root(f"sysctl kernel.perf_event_paranoid={level}")


def why_not(machine: CheckedMachine, probe: Probe) -> str:
    """Return what rejected a test, or would reject it."""
    level = machine.kernel.perf_event_paranoid
    reason = f"{probe.error or 'rejected'}, kernel.perf_event_paranoid is {level}"
    return reason if machine.events.get("cpu-clock") else f"{reason}; {probe.detail}"


def is_privileged(machine: CheckedMachine) -> bool:
    """Return whether this process is exempt from kernel.perf_event_paranoid."""
    return machine.process.may("CAP_PERFMON", "CAP_SYS_ADMIN")


def allowed(machine: CheckedMachine, probe: str, highest_level: int) -> Probe:
    """Return the test of that name; if it was not made, the result expected by the settings."""
    tested = machine.events.get(probe)
    if tested is not None:
        return tested
    level = machine.kernel.perf_event_paranoid
    if level is None:
        return Probe(ok=False, error="ENOSYS", detail="this kernel has no perf events")
    if machine.process.seccomp_filtered and not is_privileged(machine):
        return Probe(ok=False, error="EPERM", detail="probably by a seccomp filter")
    ok = is_privileged(machine) or level <= highest_level
    return Probe(ok, "" if ok else "EACCES", "by the settings, not tested")


def refusal_remedy(machine: CheckedMachine, probe: Probe, level: int) -> str:
    """Return the remedy for a rejected test."""
    if probe.error not in REJECTED:
        return "" if probe.error != "ENOSYS" else "boot a kernel with CONFIG_PERF_EVENTS"
    if machine.process.seccomp_filtered or machine.is_confined:
        return CONTAINER_REMEDY
    return lower_paranoid(machine, level)


def check_pmu(machine: CheckedMachine) -> Check:
    """Return whether the CPUs' counters of cycles and instructions can be used."""
    cycles, instructions = machine.events.get("cycles"), machine.events.get("instructions")
    if cycles is None or instructions is None:
        return _pmu_by_files(machine)
    if cycles.ok and instructions.ok:
        precise = machine.events.get("precise")
        exact = f", precise level {precise.detail}" if precise and precise.ok else ""
        return _counters(machine, f"cycles and instructions can be sampled{exact}")
    if cycles.error in REJECTED and machine.counter_devices:
        return limited(
            "pmu",
            f"the counters exist, but this user may not use them: {cycles.error}",
            refusal_remedy(machine, cycles, 2),
        )
    if cycles.ok:
        return limited("pmu", f"cycles only; instructions fail with {instructions.error}")
    return _no_counters(machine, f"cycles fail with {cycles.error}")


def _counters(machine: CheckedMachine, detail: str) -> Check:
    if machine.kernel.nmi_watchdog == 1:
        return available(
            "pmu",
            detail + "; the NMI watchdog uses one counter of each CPU",
            machine.as_root("sysctl kernel.nmi_watchdog=0"),
        )
    return available("pmu", detail)


def _pmu_by_files(machine: CheckedMachine) -> Check:
    if machine.counter_devices:
        devices = f"the kernel offers {', '.join(machine.counter_devices)}; not tested"
        user = allowed(machine, "cpu-clock", 2)
        if not user.ok:
            return limited(
                "pmu", f"{devices}: {why_not(machine, user)}", refusal_remedy(machine, user, 2)
            )
        return _counters(machine, devices)
    return _no_counters(machine, "the kernel offers none in /sys/bus/event_source/devices")


def _no_counters(machine: CheckedMachine, reason: str) -> Check:
    detail = (
        f"no hardware counters ({reason}): slots cannot be counted, time is sampled by cpu-clock"
    )
    if machine.host.virtualization:
        return unavailable("pmu", detail, LIBVIRT_REMEDY)
    return unavailable("pmu", detail, "enable the performance counters in the firmware's settings")


def check_collector(machine: CheckedMachine) -> Check:
    """Return whether the program that records is installed and works."""
    name = "collector"
    if not machine.events.missing:
        tested = f"{len(machine.events.results)} events were tested"
        lacking = _lacking_features(machine)
        if not lacking:
            return available(name, tested)
        texts, first_kernel = "; ".join(text for text, _ in lacking), lacking[-1][1]
        return limited(
            name,
            f"{tested}; this kernel does not record {texts}",
            f"boot Linux {first_kernel} or later",
        )
    if machine.roots.is_live:
        return unavailable(
            name,
            f"nothing can be recorded: {machine.events.missing}",
            "install stallscope again, or in a checkout run ./dev build",
        )
    return limited(
        name, f"{machine.events.missing}: the checks below are derived from its settings"
    )


def _lacking_features(machine: CheckedMachine) -> list[tuple[str, str]]:
    """Return the texts of features that this kernel rejects as unknown, and their first kernels."""
    probes = {name: machine.events.get(name) for name in KERNEL_FEATURES}
    return [
        KERNEL_FEATURES[name]
        for name, probe in probes.items()
        if probe is not None and probe.error == "EINVAL"
    ]


def check_software_clock(machine: CheckedMachine) -> Check:
    """Return whether processes can be sampled by the kernel's timer."""
    name = "software-clock"
    clock = allowed(machine, "cpu-clock", 2)
    if not clock.ok:
        detail = f"no process can be sampled: {why_not(machine, clock)}"
        return unavailable(name, detail, refusal_remedy(machine, clock, 2))
    rate = machine.kernel.perf_event_max_sample_rate_hz
    if rate is not None and rate < DEFAULT_FREQUENCY_HZ:
        return limited(
            name,
            f"cpu-clock, at most {rate} Hz: the kernel lowered its limit",
            machine.as_root("sysctl kernel.perf_event_max_sample_rate=100000"),
        )
    limit = f", up to {rate} Hz" if rate is not None else ""
    return available(name, f"cpu-clock samples own processes{limit}")


def check_kernel_profiling(machine: CheckedMachine) -> Check:
    """Return whether samples may show kernel code."""
    kernel = allowed(machine, "kernel", 1)
    if kernel.ok:
        return available("kernel-profiling", "kernel code and kernel call chains are sampled")
    return unavailable(
        "kernel-profiling",
        f"user code only: {why_not(machine, kernel)}",
        refusal_remedy(machine, kernel, 1),
    )


def check_system_wide(machine: CheckedMachine) -> Check:
    """Return whether whole CPUs may be sampled: -a, -C, -G."""
    wide = allowed(machine, "cpu-wide", 0)
    if wide.ok:
        return available("system-wide", "all CPUs and cgroups may be sampled: -a, -C, -G")
    return unavailable(
        "system-wide",
        f"no -a, -C, -G: {why_not(machine, wide)}",
        refusal_remedy(machine, wide, 0),
    )


def check_paranoid(machine: CheckedMachine) -> Check:
    """Return what kernel.perf_event_paranoid permits this user."""
    name, level = "paranoid", machine.kernel.perf_event_paranoid
    if level is None:
        detail = "kernel.perf_event_paranoid is missing: this kernel has no perf events"
        return unavailable(name, detail, "boot a kernel with CONFIG_PERF_EVENTS")
    if is_privileged(machine):
        return available(
            name, f"level {level} does not apply to this user, which has CAP_PERFMON or more"
        )
    probes = [machine.events.get(name) for name in ("kernel", "cpu-wide")]
    if all(probe is not None and probe.ok for probe in probes):
        return available(
            name, f"level {level} does not apply to the collector, which has capabilities"
        )
    if level > 2:
        detail = f"level {level}: distribution kernels reject all events of ordinary users"
        return unavailable(name, detail, lower_paranoid(machine, 1))
    detail = f"level {level}: {PARANOID_MEANING.get(max(level, -1), '')}"
    if level <= 0:
        return available(name, detail)
    return limited(name, detail, lower_paranoid(machine, 0))
