"""Changes of frequency settings, in the order that the kernel accepts.

The governor comes first (switching resets its tunables, so they are kept in the journal), then
turbo, energy preferences, and the limits last. The maximum is raised before the minimum, and the
minimum lowered before the maximum, because the kernel rejects or clips a minimum above the maximum
(drivers/cpufreq/cpufreq.c).
"""

import re
from contextlib import suppress
from pathlib import Path

from cstates.frequency import Frequency, FrequencyPolicy, read_frequency
from cstates.pinning.kernel_files import host_path, is_restorable, read_value
from cstates.pinning.knobs import SettingChange, change
from cstates.pinning.request import PinRequest
from cstates.pinning.targets import PinTargets
from cstates.sysfs import cpu_folder
from stallscope.cpu_lists import format_cpu_list
from stallscope.errors import UnableError, UsageError
from stallscope.system_files import Roots, names_in, read_text

_INTEGER = re.compile("[0-9]{1,10}")
_BIASES = {"performance": 0, "balance-performance": 4, "normal": 6, "balance-power": 8, "power": 15}


def plan_governor(
    roots: Roots, request: PinRequest, targets: PinTargets
) -> tuple[SettingChange, ...]:
    """Return the changes to another frequency governor, with its old tunables before each."""
    governor = request.governor
    assert governor is not None
    changes: list[SettingChange] = []
    for policy in _policies(read_frequency(roots, targets.capped)):
        if governor not in policy.available_governors or policy.governor is None:
            raise UsageError(
                f"--governor {governor!r}: {policy.name} has no such frequency governor",
                f"available: {', '.join(policy.available_governors) or 'none'}; "
                "for governors of sleep states use --idle-governor",
            )
        if policy.governor != governor:
            changes += _tunables(roots, policy)
            changes.append(change("governor", policy.governor, governor, policy=policy.name))
    return tuple(dict.fromkeys(changes))  # all policies may share their tunables


def _tunables(roots: Roots, policy: FrequencyPolicy) -> list[SettingChange]:
    changes = []
    for folder in (f"{policy.name}/{policy.governor}", str(policy.governor)):
        for name in names_in(cpu_folder(roots) / "cpufreq" / folder):
            path = f"/sys/devices/system/cpu/cpufreq/{folder}/{name}"
            value = read_value(roots, path)
            if value and _writable(host_path(roots, path)) and is_restorable(roots, path):
                changes.append(SettingChange("governor-tunable", path, value, None))
    return changes


def _writable(file: Path) -> bool:
    """Return whether its owner may write a file; False if it no longer exists."""
    with suppress(OSError):
        return bool(file.stat().st_mode & 0o200)
    return False


def plan_turbo(roots: Roots, targets: PinTargets) -> tuple[SettingChange, ...]:
    """Return the change that disables turbo; it applies to all CPUs."""
    turbo = read_frequency(roots, targets.capped).turbo
    if turbo is None:
        raise UnableError(
            "--no-turbo: this machine has neither intel_pstate/no_turbo nor cpufreq/boost, so "
            "turbo cannot be disabled",
            "omit the option, or disable turbo in the firmware",
        )
    if not turbo.allowed:
        return ()
    if turbo.source.endswith("no_turbo"):
        return (change("no-turbo", "0", "1"),)
    return (change("boost", "1", "0"),)


def plan_energy_preference(
    roots: Roots, request: PinRequest, targets: PinTargets
) -> tuple[SettingChange, ...]:
    """Return the changes of EPP.

    Under the governor performance, active drivers set EPP themselves: UnableError if the request
    differs.
    """
    preference = request.energy_preference
    assert preference is not None
    changes = []
    for policy in _policies(read_frequency(roots, targets.capped)):
        old = policy.energy_preference
        if old is None:
            raise UnableError(
                f"--epp: the driver {policy.driver} has no energy preference",
                "omit the option, or set --governor",
            )
        folder = cpu_folder(roots) / "cpufreq" / policy.name
        available = (
            read_text(folder / "energy_performance_available_preferences", 4096) or ""
        ).split()
        if available and preference not in available and not _INTEGER.fullmatch(preference):
            raise UsageError(
                f"--epp {preference!r}: unknown energy preference",
                f"available: {', '.join(available)}",
            )
        if old == preference:
            continue
        if (request.governor or policy.governor) != "performance":
            changes.append(change("energy-preference", old, preference, policy=policy.name))
        elif preference not in ("performance", "0"):
            raise UnableError(
                f"--epp {preference}: the governor performance of {policy.name} sets the energy "
                "preference itself",
                "omit the option, or choose another governor with --governor",
            )
    return tuple(changes)


def plan_energy_bias(
    roots: Roots, request: PinRequest, targets: PinTargets
) -> tuple[SettingChange, ...]:
    """Return the changes of EPB, from 0 (performance) to 15 (power), or by name."""
    text = request.energy_bias
    assert text is not None
    bias = _BIASES.get(text, int(text) if _INTEGER.fullmatch(text) else -1)
    if not 0 <= bias <= 15:
        raise UsageError(
            f"--epb {text!r} is not an energy bias",
            f"name a number from 0 to 15, or one of {', '.join(_BIASES)}",
        )
    biases = read_frequency(roots, targets.capped).energy_bias
    if not biases:
        raise UnableError("--epb: these CPUs have no energy bias", "omit the option")
    return tuple(
        change("energy-bias", str(old), str(bias), cpu=cpu)
        for cpu, old in biases.items()
        if old != bias
    )


def plan_limits(
    roots: Roots, request: PinRequest, targets: PinTargets
) -> tuple[SettingChange, ...]:
    """Return the changes that hold each policy at one frequency."""
    changes: list[SettingChange] = []
    for policy in _policies(read_frequency(roots, targets.capped)):
        khz = _frequency_khz(policy, request.frequency or "")
        if policy.min_khz is None or policy.max_khz is None:
            raise UnableError(f"--frequency: {policy.name} shows no limits", "omit the option")
        minimum = change("min-frequency", str(policy.min_khz), str(khz), policy=policy.name)
        maximum = change("max-frequency", str(policy.max_khz), str(khz), policy=policy.name)
        changes += [maximum, minimum] if khz > policy.max_khz else [minimum, maximum]
    return tuple(planned for planned in changes if planned.old != planned.new)


def _frequency_khz(policy: FrequencyPolicy, text: str) -> int:
    if text == "base":
        if policy.base_khz is None:
            raise UnableError(
                f"--frequency base: {policy.driver} does not report the base frequency of "
                f"{policy.name}",
                "name it from the CPU's data sheet: --frequency KHZ",
            )
        return policy.base_khz
    if text == "max":
        if policy.hardware_max_khz is None:
            raise UnableError(
                f"--frequency max: {policy.name} does not report its maximum", "name it in kHz"
            )
        return policy.hardware_max_khz
    khz = int(text) if _INTEGER.fullmatch(text) else 0
    low, high = policy.hardware_min_khz or 1, policy.hardware_max_khz or 10**9
    if not low <= khz <= high:
        raise UsageError(
            f"--frequency {text!r} is not a frequency of {policy.name}",
            f"base, max, or a number of kHz from {low} to {high}",
        )
    return khz


def shared_policies(
    roots: Roots, targets: PinTargets, changes: tuple[SettingChange, ...]
) -> tuple[str, ...]:
    """Return a warning if a changed policy also contains CPUs that are not pinned."""
    written = {planned.path for planned in changes if planned.new is not None}
    capped = set(targets.capped)
    others: set[int] = set()
    names = []
    for policy in read_frequency(roots, targets.capped).policies:
        unpinned = set(policy.related_cpus) - capped
        folder = f"/sys/devices/system/cpu/cpufreq/{policy.name}/"
        if unpinned and any(path.startswith(folder) for path in written):
            others |= unpinned
            names.append(policy.name)
    if not names:
        return ()
    text = (
        f"CPUs {format_cpu_list(others)} are not pinned, but share a frequency policy with pinned "
        f"CPUs ({', '.join(names)}): its changes apply to them too"
    )
    return (text,)


def _policies(frequency: Frequency) -> tuple[FrequencyPolicy, ...]:
    if frequency.missing:
        raise UnableError(
            f"cannot pin the frequency: {frequency.missing}", "omit the options about frequency"
        )
    return frequency.policies
