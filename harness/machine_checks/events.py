"""Checks of what may be sampled: hardware counters, the software clock, the kernel, all CPUs."""

from harness.machine_checks.check import Check, available, limited, unavailable
from harness.machine_checks.machine import Machine
from harness.machine_checks.probes import Probe

DEFAULT_FREQUENCY_HZ = 999
REFUSED = ("EACCES", "EPERM")
PARANOID_MEANING = {
    -1: "everything is open to every user",
    0: "every user may sample all CPUs and the kernel; not tracepoints",
    1: "every user may sample own processes with their kernel code; not all CPUs",
    2: "every user may sample own processes' user code only",
}
CONTAINER_REMEDY = (
    "start the container with: docker run --cap-add PERFMON --cap-add SYS_PTRACE "
    "--security-opt seccomp=unconfined"
)
LIBVIRT_REMEDY = (
    "none inside the guest; on its host: QEMU -cpu host,pmu=on (VMware: vpmc.enable = TRUE; "
    "clouds: a .metal or whole-socket size)"
)


def lower_paranoid(machine: Machine, level: int) -> str:
    """Return the command that sets kernel.perf_event_paranoid until the next boot."""
    return machine.as_root(f"sysctl kernel.perf_event_paranoid={level}")


def why_not(machine: Machine, probe: Probe) -> str:
    """Return what refused a trial, or would."""
    level = machine.kernel.perf_event_paranoid
    said = f"{probe.error or 'refused'}, kernel.perf_event_paranoid is {level}"
    return said if machine.events.get("cpu-clock") else f"{said}; {probe.detail}"


def is_privileged(machine: Machine) -> bool:
    """Return whether kernel.perf_event_paranoid does not bind this process."""
    return machine.process.may("CAP_PERFMON", "CAP_SYS_ADMIN")


def allowed(machine: Machine, probe: str, highest_level: int) -> Probe:
    """Return the trial of that name; where it was not made, what the kernel's settings say."""
    tried = machine.events.get(probe)
    if tried is not None:
        return tried
    level = machine.kernel.perf_event_paranoid
    if level is None:
        return Probe(ok=False, error="ENOSYS", detail="this kernel has no perf events")
    if machine.process.seccomp_filtered and not is_privileged(machine):
        return Probe(ok=False, error="EPERM", detail="by a seccomp filter, likely")
    ok = is_privileged(machine) or level <= highest_level
    return Probe(ok, "" if ok else "EACCES", "by the settings, not tried")


def refusal_remedy(machine: Machine, probe: Probe, level: int) -> str:
    """Return what lets a refused trial succeed."""
    if probe.error not in REFUSED:
        return "" if probe.error != "ENOSYS" else "boot a kernel with CONFIG_PERF_EVENTS"
    if machine.process.seccomp_filtered or machine.is_confined:
        return CONTAINER_REMEDY
    return lower_paranoid(machine, level)


def check_pmu(machine: Machine) -> Check:
    """Return whether the CPUs' own counters of cycles and instructions can be used."""
    cycles, instructions = machine.events.get("cycles"), machine.events.get("instructions")
    if cycles is None or instructions is None:
        return _pmu_by_files(machine)
    if cycles.ok and instructions.ok:
        precise = machine.events.get("precise")
        exact = f", precise level {precise.detail}" if precise and precise.ok else ""
        return _counters(machine, f"cycles and instructions can be sampled{exact}")
    if cycles.error in REFUSED and machine.counter_devices:
        return limited(
            "pmu",
            f"the counters are there, and refused to this user: {cycles.error}",
            refusal_remedy(machine, cycles, 2),
        )
    if cycles.ok:
        return limited("pmu", f"cycles only; instructions give {instructions.error}")
    return _no_counters(machine, f"cycles give {cycles.error}")


def _counters(machine: Machine, detail: str) -> Check:
    if machine.kernel.nmi_watchdog == 1:
        return available(
            "pmu",
            detail + "; the NMI watchdog holds one counter of each CPU",
            machine.as_root("sysctl kernel.nmi_watchdog=0"),
        )
    return available("pmu", detail)


def _pmu_by_files(machine: Machine) -> Check:
    if machine.counter_devices:
        found = f"the kernel offers {', '.join(machine.counter_devices)}; not tried"
        user = allowed(machine, "cpu-clock", 2)
        if not user.ok:
            return limited(
                "pmu", f"{found}: {why_not(machine, user)}", refusal_remedy(machine, user, 2)
            )
        return _counters(machine, found)
    return _no_counters(machine, "the kernel offers none in /sys/bus/event_source/devices")


def _no_counters(machine: Machine, why: str) -> Check:
    detail = f"no hardware counters ({why}): slots cannot be counted, time is sampled by cpu-clock"
    if machine.host.virtualization:
        return unavailable("pmu", detail, LIBVIRT_REMEDY)
    return unavailable("pmu", detail, "enable the performance counters in the firmware's settings")


def check_collector(machine: Machine) -> Check:
    """Return whether the program that records is there and answers."""
    name = "collector"
    if not machine.events.missing:
        return available(name, f"{len(machine.events.results)} trials of events were made")
    if machine.roots.is_live:
        return unavailable(
            name,
            f"nothing can be recorded: {machine.events.missing}",
            "install stallscope again, or in a checkout run ./dev build",
        )
    return limited(name, f"{machine.events.missing}: the lines below are read from its settings")


def check_software_clock(machine: Machine) -> Check:
    """Return whether processes can be sampled at all, by the kernel's timer."""
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
    most = f", up to {rate} Hz" if rate is not None else ""
    return available(name, f"cpu-clock samples own processes{most}")


def check_kernel_profiling(machine: Machine) -> Check:
    """Return whether samples may show kernel code."""
    kernel = allowed(machine, "kernel", 1)
    if kernel.ok:
        return available("kernel-profiling", "kernel code and kernel call chains are sampled")
    return unavailable(
        "kernel-profiling",
        f"user code only: {why_not(machine, kernel)}",
        refusal_remedy(machine, kernel, 1),
    )


def check_system_wide(machine: Machine) -> Check:
    """Return whether whole CPUs may be sampled: -a, -C, -G."""
    wide = allowed(machine, "cpu-wide", 0)
    if wide.ok:
        return available("system-wide", "all CPUs and cgroups may be sampled: -a, -C, -G")
    return unavailable(
        "system-wide",
        f"no -a, -C, -G: {why_not(machine, wide)}",
        refusal_remedy(machine, wide, 0),
    )


def check_paranoid(machine: Machine) -> Check:
    """Return what kernel.perf_event_paranoid leaves to this user."""
    name, level = "paranoid", machine.kernel.perf_event_paranoid
    if level is None:
        detail = "kernel.perf_event_paranoid is not there: this kernel has no perf events"
        return unavailable(name, detail, "boot a kernel with CONFIG_PERF_EVENTS")
    if is_privileged(machine):
        return available(
            name, f"level {level} does not bind this user, who holds CAP_PERFMON or more"
        )
    tried = [machine.events.get(name) for name in ("kernel", "cpu-wide")]
    if all(probe is not None and probe.ok for probe in tried):
        return available(
            name, f"level {level} does not bind the collector, which holds capabilities"
        )
    if level > 2:
        detail = f"level {level}: distribution kernels refuse every event to ordinary users"
        return unavailable(name, detail, lower_paranoid(machine, 1))
    detail = f"level {level}: {PARANOID_MEANING.get(max(level, -1), '')}"
    if level <= 0:
        return available(name, detail)
    return limited(name, detail, lower_paranoid(machine, 0))
