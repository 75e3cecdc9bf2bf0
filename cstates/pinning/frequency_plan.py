"""What to change for frequency, in the order the kernel takes it.

A governor first (its tunables are reset by a switch, so they are kept), then turbo, energy
preferences, and last the limits: raising the greatest first, lowering the least first, as the
kernel refuses or cuts a least above the greatest (drivers/cpufreq/cpufreq.c).
"""

import re
from contextlib import suppress
from pathlib import Path

from cstates.frequency import Frequency, FrequencyPolicy, read_frequency
from cstates.pinning.kernel_files import place_of, read_value
from cstates.pinning.knobs import Change, change
from cstates.pinning.request import PinRequest
from cstates.pinning.targets import Targets
from cstates.sysfs import cpu_folder
from stallscope.cpu_lists import format_cpu_list
from stallscope.errors import UnableError, UsageError
from stallscope.system_files import Roots, names_in, read_text

_WHOLE = re.compile("[0-9]{1,10}")
_BIASES = {"performance": 0, "balance-performance": 4, "normal": 6, "balance-power": 8, "power": 15}


def plan_governor(roots: Roots, request: PinRequest, targets: Targets) -> tuple[Change, ...]:
    """Return the changes to another governor of frequency, tunables to be kept before each."""
    wanted = request.governor
    assert wanted is not None
    found: list[Change] = []
    for policy in _policies(read_frequency(roots, targets.capped)):
        if wanted not in policy.available_governors or policy.governor is None:
            raise UsageError(
                f"--governor {wanted!r}: {policy.name} has no such governor of frequency",
                f"there are: {', '.join(policy.available_governors) or 'none'}; "
                "governors of sleep states are --idle-governor",
            )
        if policy.governor != wanted:
            found += _tunables(roots, policy)
            found.append(change("governor", policy.governor, wanted, policy=policy.name))
    return tuple(dict.fromkeys(found))  # tunables may be of all policies together


def _tunables(roots: Roots, policy: FrequencyPolicy) -> list[Change]:
    kept = []
    for folder in (f"{policy.name}/{policy.governor}", str(policy.governor)):
        for name in names_in(cpu_folder(roots) / "cpufreq" / folder):
            path = f"/sys/devices/system/cpu/cpufreq/{folder}/{name}"
            value = read_value(roots, path)
            # What is no text could not be put back as it was.
            if value and "\ufffd" not in value and _writable(place_of(roots, path)):
                kept.append(Change("governor-tunable", path, value, None))
    return kept


def _writable(place: Path) -> bool:
    """Return whether its owner may write a file; False where it is gone."""
    with suppress(OSError):
        return bool(place.stat().st_mode & 0o200)
    return False


def plan_turbo(roots: Roots, targets: Targets) -> tuple[Change, ...]:
    """Return the change that forbids turbo; it is of all CPUs."""
    turbo = read_frequency(roots, targets.capped).turbo
    if turbo is None:
        raise UnableError(
            "--no-turbo: neither intel_pstate/no_turbo nor cpufreq/boost is here, so turbo "
            "cannot be forbidden",
            "leave it out, or switch turbo off in the firmware",
        )
    if not turbo.allowed:
        return ()
    old_new = ("0", "1") if turbo.source.endswith("no_turbo") else ("1", "0")
    return (change("no-turbo" if old_new[1] == "1" else "boost", *old_new),)


def plan_energy_preference(
    roots: Roots, request: PinRequest, targets: Targets
) -> tuple[Change, ...]:
    """Return the changes of EPP; under the governor performance the active drivers set their own.

    UnableError where that is not what is asked.
    """
    wanted = request.energy_preference
    assert wanted is not None
    found = []
    for policy in _policies(read_frequency(roots, targets.capped)):
        old = policy.energy_preference
        if old is None:
            raise UnableError(
                f"--epp: the driver {policy.driver} has no energy preference",
                "leave it out, or set --governor",
            )
        place = cpu_folder(roots) / "cpufreq" / policy.name
        known = (read_text(place / "energy_performance_available_preferences", 4096) or "").split()
        if known and wanted not in known and not _WHOLE.fullmatch(wanted):
            raise UsageError(
                f"--epp {wanted!r}: there is no such energy preference",
                f"there are: {', '.join(known)}",
            )
        if old == wanted:
            continue
        if (request.governor or policy.governor) != "performance":
            found.append(change("energy-preference", old, wanted, policy=policy.name))
        elif wanted not in ("performance", "0"):
            raise UnableError(
                f"--epp {wanted}: the governor performance, which {policy.name} has, sets the "
                "energy preference itself",
                "leave it out, or choose another with --governor",
            )
    return tuple(found)


def plan_energy_bias(roots: Roots, request: PinRequest, targets: Targets) -> tuple[Change, ...]:
    """Return the changes of EPB, 0 (performance) to 15 (power), or one of its names."""
    wanted = request.energy_bias
    assert wanted is not None
    bias = _BIASES.get(wanted, int(wanted) if _WHOLE.fullmatch(wanted) else -1)
    if not 0 <= bias <= 15:
        raise UsageError(
            f"--epb {wanted!r} is no energy bias", f"0 to 15, or one of {', '.join(_BIASES)}"
        )
    biases = read_frequency(roots, targets.capped).energy_bias
    if not biases:
        raise UnableError("--epb: these CPUs have no energy bias", "leave it out")
    return tuple(
        change("energy-bias", str(old), str(bias), cpu=cpu)
        for cpu, old in biases.items()
        if old != bias
    )


def plan_limits(roots: Roots, request: PinRequest, targets: Targets) -> tuple[Change, ...]:
    """Return the changes that hold each policy at one frequency."""
    found: list[Change] = []
    for policy in _policies(read_frequency(roots, targets.capped)):
        khz = _wanted_khz(policy, request.frequency or "")
        if policy.min_khz is None or policy.max_khz is None:
            raise UnableError(f"--frequency: {policy.name} tells no limits", "leave it out")
        least = change("min-frequency", str(policy.min_khz), str(khz), policy=policy.name)
        most = change("max-frequency", str(policy.max_khz), str(khz), policy=policy.name)
        found += [most, least] if khz > policy.max_khz else [least, most]
    return tuple(each for each in found if each.old != each.new)


def _wanted_khz(policy: FrequencyPolicy, wanted: str) -> int:
    if wanted == "base":
        if policy.base_khz is None:
            raise UnableError(
                f"--frequency base: {policy.driver} does not tell the base frequency of "
                f"{policy.name}",
                "name it: --frequency KHZ, as the CPU's data sheet has it",
            )
        return policy.base_khz
    if wanted == "max":
        if policy.hardware_max_khz is None:
            raise UnableError(f"--frequency max: {policy.name} does not tell it", "name kHz")
        return policy.hardware_max_khz
    khz = int(wanted) if _WHOLE.fullmatch(wanted) else 0
    least, most = policy.hardware_min_khz or 1, policy.hardware_max_khz or 10**9
    if not least <= khz <= most:
        raise UsageError(
            f"--frequency {wanted!r} is no frequency of {policy.name}",
            f"base, max, or kHz from {least} to {most}",
        )
    return khz


def shared_policies(roots: Roots, targets: Targets, changes: tuple[Change, ...]) -> tuple[str, ...]:
    """Return a warning where what is changed of a policy is of further CPUs as well."""
    set_now = {each.path for each in changes if each.new is not None}
    capped = set(targets.capped)
    others: set[int] = set()
    names = []
    for policy in read_frequency(roots, targets.capped).policies:
        beyond = set(policy.related_cpus) - capped
        folder = f"/sys/devices/system/cpu/cpufreq/{policy.name}/"
        if beyond and any(path.startswith(folder) for path in set_now):
            others |= beyond
            names.append(policy.name)
    if not names:
        return ()
    text = (
        f"CPUs {format_cpu_list(others)} are not pinned, but have their frequency set with those "
        f"that are ({', '.join(names)}): what is set of it holds for them, too"
    )
    return (text,)


def _policies(frequency: Frequency) -> tuple[FrequencyPolicy, ...]:
    if frequency.missing:
        raise UnableError(
            f"no frequency to pin: {frequency.missing}", "leave out the options about frequency"
        )
    return frequency.policies
