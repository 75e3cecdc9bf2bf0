"""Settings that other tools changed and did not restore, and that distort measurements."""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from cstates.latency_limit import read_global_limit
from cstates.pinning.claims import default_run_folder
from cstates.pinning.status import read_status
from harness.doctor.result import Leftover
from harness.machine_checks.events import DEFAULT_FREQUENCY_HZ
from harness.machine_checks.machine import CheckedMachine
from stallscope.cpu_lists import format_cpu_list
from stallscope.errors import StallscopeError
from stallscope.system_files import names_in, numbers_in, read_integer, read_text

SAMPLE_RATE_HZ = 100_000  # kernel/events/core.c: DEFAULT_MAX_SAMPLE_RATE
CPU_TIME_PERCENT = 25  # DEFAULT_CPU_TIME_MAX_PERCENT
LEAST_CPU_TIME_PERCENT = 5
_CPU = "/sys/devices/system/cpu"
_TRACING = "/sys/kernel/tracing"
_OWN_INSTANCE = re.compile(r"stallscope-(\d+)-.*")
_MAX_NAMES = 8


def find_leftovers(machine: CheckedMachine) -> tuple[Leftover, ...]:
    """Return the settings that differ from the kernel's defaults in a way that tools leave behind.

    A difference can be intended; each entry names its effect. Nothing is changed.
    """
    checks: tuple[Callable[[CheckedMachine], Iterable[Leftover]], ...] = (
        _pins,
        _sample_rate,
        _sampling_time,
        _nmi_watchdog,
        _address_layout,
        _program_statistics,
        _sleep_states,
        _latency_limits,
        _frequencies,
        _turbo,
        _trace_instances,
        _tracing,
    )
    return tuple(leftover for check in checks for leftover in check(machine))


def _sysctl(machine: CheckedMachine, name: str, value: int) -> str:
    return machine.as_root(f"sysctl kernel.{name}={value}")


def _kernel_integer(machine: CheckedMachine, name: str) -> int | None:
    return read_integer(machine.roots.proc / "sys" / "kernel" / name)


def _pins(machine: CheckedMachine) -> Iterator[Leftover]:
    """Yield the pins of stallscope: one that is held sets the values below."""
    with suppress(StallscopeError):
        for pin in read_status(machine.roots, default_run_folder(machine.roots)):
            owner = f"{pin.owner.name} (process {pin.owner.pid})"
            if pin.held:
                yield Leftover(
                    setting="stallscope pin",
                    value=f"held by {owner}",
                    usual="no pin",
                    effect="settings below may be of this pin, which restores them at its end",
                    remedy="",
                )
            elif pin.settings and not pin.other_boot:
                yield Leftover(
                    setting="stallscope pin",
                    value=f"{len(pin.settings)} settings left by {owner}",
                    usual="no pin",
                    effect="the machine keeps the settings of a pin that was killed",
                    remedy=machine.as_root("stallscope pin restore"),
                )


def _sample_rate(machine: CheckedMachine) -> Iterator[Leftover]:
    rate_hz = machine.kernel.perf_event_max_sample_rate_hz
    if rate_hz is not None and rate_hz < DEFAULT_FREQUENCY_HZ:
        yield Leftover(
            setting="kernel.perf_event_max_sample_rate",
            value=str(rate_hz),
            usual=str(SAMPLE_RATE_HZ),
            effect=f"a profile has at most {rate_hz} samples per second and CPU",
            remedy=_sysctl(machine, "perf_event_max_sample_rate", SAMPLE_RATE_HZ),
        )


def _sampling_time(machine: CheckedMachine) -> Iterator[Leftover]:
    percent = _kernel_integer(machine, "perf_cpu_time_max_percent")
    if percent is not None and 0 < percent < LEAST_CPU_TIME_PERCENT:
        yield Leftover(
            setting="kernel.perf_cpu_time_max_percent",
            value=str(percent),
            usual=str(CPU_TIME_PERCENT),
            effect="the kernel lowers the sample rate during a recording",
            remedy=_sysctl(machine, "perf_cpu_time_max_percent", CPU_TIME_PERCENT),
        )


def _nmi_watchdog(machine: CheckedMachine) -> Iterator[Leftover]:
    options = machine.boot_options
    if (
        machine.kernel.nmi_watchdog == 0
        and {"cpu", "cpu_core"} & set(machine.counter_devices)
        and not machine.host.virtualization
        and not machine.is_confined
        and not any(option in ("nmi_watchdog=0", "nowatchdog") for option in options)
    ):
        yield Leftover(
            setting="kernel.nmi_watchdog",
            value="0",
            usual="1",
            effect="the kernel does not report CPUs that hang; one more counter is free",
            remedy=_sysctl(machine, "nmi_watchdog", 1),
        )


def _address_layout(machine: CheckedMachine) -> Iterator[Leftover]:
    level = _kernel_integer(machine, "randomize_va_space")
    if level is not None and level < 2 and "norandmaps" not in machine.boot_options:
        yield Leftover(
            setting="kernel.randomize_va_space",
            value=str(level),
            usual="2",
            effect="programs are loaded at predictable addresses, which helps attackers",
            remedy=_sysctl(machine, "randomize_va_space", 2),
        )


def _program_statistics(machine: CheckedMachine) -> Iterator[Leftover]:
    if _kernel_integer(machine, "bpf_stats_enabled") == 1:
        yield Leftover(
            setting="kernel.bpf_stats_enabled",
            value="1",
            usual="0",
            effect="each run of a BPF program reads the clock twice",
            remedy=_sysctl(machine, "bpf_stats_enabled", 0),
        )


def _sleep_states(machine: CheckedMachine) -> Iterator[Leftover]:
    """Yield the sleep states that are disabled, although their driver enables them."""
    folder = machine.roots.sys / "devices" / "system" / "cpu"
    cpus_of: dict[tuple[int, str], list[int]] = {}
    cpus = numbers_in(folder, "cpu")
    for cpu in cpus:
        states = folder / f"cpu{cpu}" / "cpuidle"
        for index in numbers_in(states, "state"):
            state = states / f"state{index}"
            if read_integer(state / "disable") not in (None, 0) and (
                read_text(state / "default_status", 64) != "disabled"
            ):
                name = read_text(state / "name", 256) or f"state{index}"
                cpus_of.setdefault((index, name), []).append(cpu)
    for (index, name), affected in cpus_of.items():
        names = "*" if len(affected) == len(cpus) else f"{{{','.join(map(str, affected))}}}"
        names = names if len(affected) != 1 else str(affected[0])
        yield Leftover(
            setting=f"sleep state {name}",
            value=f"disabled on CPUs {format_cpu_list(affected)}",
            usual="enabled",
            effect="CPUs wake up faster and use more power; other CPUs may get less turbo",
            remedy=machine.write_as_root("0", f"{_CPU}/cpu{names}/cpuidle/state{index}/disable"),
        )


def _latency_limits(machine: CheckedMachine) -> Iterator[Leftover]:
    limit = read_global_limit(machine.roots)
    if limit.limit_us is not None:
        holders = ", ".join(f"{holder.name} ({holder.pid})" for holder in limit.holders)
        yield Leftover(
            setting="/dev/cpu_dma_latency",
            value=f"{limit.limit_us} us" + (f", held by {holders}" if holders else ""),
            usual="no limit",
            effect="sleep states with a longer exit latency are closed until its holder ends",
            remedy="",
        )
    folder = machine.roots.sys / "devices" / "system" / "cpu"
    affected = [
        cpu
        for cpu in numbers_in(folder, "cpu")
        if (read_text(folder / f"cpu{cpu}/power/pm_qos_resume_latency_us", 64) or "0") != "0"
    ]
    for cpu in affected[:1]:
        names = str(cpu) if len(affected) == 1 else f"{{{','.join(map(str, affected))}}}"
        path = f"{_CPU}/cpu{names}/power/pm_qos_resume_latency_us"
        yield Leftover(
            setting="pm_qos_resume_latency_us",
            value=f"set on CPUs {format_cpu_list(affected)}",
            usual="0 (no limit)",
            effect="sleep states with a longer exit latency are closed on these CPUs",
            remedy=machine.write_as_root("0", path),
        )


def _frequencies(machine: CheckedMachine) -> Iterator[Leftover]:
    """Yield the policies whose least and greatest frequency are equal, unlike the hardware's."""
    folder = machine.roots.sys / "devices" / "system" / "cpu" / "cpufreq"
    policies_at: dict[tuple[int, int, int], list[int]] = {}
    for number in numbers_in(folder, "policy"):
        policy = folder / f"policy{number}"
        low, high, hardware_low, hardware_high = (
            read_integer(policy / name)
            for name in (
                "scaling_min_freq",
                "scaling_max_freq",
                "cpuinfo_min_freq",
                "cpuinfo_max_freq",
            )
        )
        if low is None or hardware_low is None or hardware_high is None:
            continue
        if low == high and hardware_low < hardware_high:
            policies_at.setdefault((low, hardware_low, hardware_high), []).append(number)
    for (khz, hardware_low, hardware_high), numbers in policies_at.items():
        names = str(numbers[0]) if len(numbers) == 1 else f"{{{','.join(map(str, numbers))}}}"
        path = f"{_CPU}/cpufreq/policy{names}"
        raised = machine.write_as_root(str(hardware_high), f"{path}/scaling_max_freq")
        lowered = machine.write_as_root(str(hardware_low), f"{path}/scaling_min_freq")
        yield Leftover(
            setting="frequency",
            value=f"fixed at {khz} kHz (policies {format_cpu_list(numbers)})",
            usual=f"{hardware_low} to {hardware_high} kHz",
            effect="CPUs neither slow down when idle nor speed up under load",
            remedy=f"{raised}; {lowered}",
        )


def _turbo(machine: CheckedMachine) -> Iterator[Leftover]:
    folder = machine.roots.sys / "devices" / "system" / "cpu"
    for name, off, on in (("intel_pstate/no_turbo", 1, "0"), ("cpufreq/boost", 0, "1")):
        if read_integer(folder / name) == off:
            yield Leftover(
                setting="turbo",
                value=f"off ({name} is {off})",
                usual="allowed",
                effect="CPUs do not exceed their base frequency; the firmware can be the reason",
                remedy=machine.write_as_root(on, f"{_CPU}/{name}"),
            )


def _trace_instances(machine: CheckedMachine) -> Iterator[Leftover]:
    for name in names_in(machine.roots.sys / "kernel" / "tracing" / "instances"):
        own = _OWN_INSTANCE.fullmatch(name)
        if own and (machine.roots.proc / own[1]).exists():
            continue
        yield Leftover(
            setting=f"trace instance {name}",
            value="exists",
            usual="removed by the tool that made it",
            effect="it keeps its buffers and may slow the kernel down; a tool may still use it",
            remedy=machine.as_root(f"rmdir {shlex.quote(f'{_TRACING}/instances/{name}')}"),
        )


def _tracing(machine: CheckedMachine) -> Iterator[Leftover]:
    """Yield what slows the kernel down without a tool that reads it."""
    folder = machine.roots.sys / "kernel" / "tracing"
    tracer = read_text(folder / "current_tracer", 256)
    if tracer and tracer != "nop":
        yield Leftover(
            setting="current_tracer",
            value=tracer,
            usual="nop",
            effect="the kernel's tracer is active and slows all programs down",
            remedy=machine.write_as_root("nop", f"{_TRACING}/current_tracer"),
        )
    for file, effect in (
        ("set_event", "events are enabled in the shared trace buffer"),
        ("kprobe_events", "probes of kernel functions are defined"),
        ("uprobe_events", "probes of programs are defined"),
    ):
        lines = (read_text(folder / file) or "").splitlines()
        if lines:
            names = ", ".join(lines[:_MAX_NAMES])
            yield Leftover(
                setting=file,
                value=names if len(lines) <= _MAX_NAMES else f"{names}, and more",
                usual="empty",
                effect=f"{effect}; a tool may still use them",
                remedy=machine.write_as_root("", f"{_TRACING}/{file}"),
            )
