"""Frequency policies, turbo, energy preferences and SMT, as sysfs shows them.

Documented in the kernel's Documentation/admin-guide/pm/cpufreq.rst, intel_pstate.rst and
amd-pstate.rst.
"""

from dataclasses import dataclass
from pathlib import Path

from cstates.sysfs import cpu_folder
from stallscope.cpu_lists import cpus_in_list
from stallscope.documents import Count
from stallscope.system_files import Roots, numbers_in, read_integer, read_text


@dataclass(frozen=True, slots=True)
class FrequencyPolicy:
    """A cpufreq policy: CPUs whose frequency is set together; unknown values are None."""

    name: str  # policy0
    cpus: tuple[Count, ...]  # online
    related_cpus: tuple[Count, ...]  # online and offline
    driver: str | None
    governor: str | None
    available_governors: tuple[str, ...]
    min_khz: Count | None  # the configured limits
    max_khz: Count | None
    hardware_min_khz: Count | None
    hardware_max_khz: Count | None
    base_khz: Count | None  # without turbo; None if the driver does not report it
    current_khz: Count | None
    energy_preference: str | None  # EPP


@dataclass(frozen=True, slots=True)
class Turbo:
    """Whether the CPUs may exceed their base frequency, and the file that shows it."""

    allowed: bool
    source: str  # relative to the folder of CPUs: intel_pstate/no_turbo or cpufreq/boost


@dataclass(frozen=True, slots=True)
class Frequency:
    """The frequency settings of a machine; ``missing`` is the reason for having no policies."""

    policies: tuple[FrequencyPolicy, ...]
    driver_status: str | None  # of intel_pstate or amd_pstate: active, passive, guided, off
    turbo: Turbo | None
    energy_bias: dict[int, int]  # EPB by CPU, 0 performance to 15 power saving
    smt: str | None  # on, off, forceoff, notsupported, notimplemented
    missing: str | None

    def policy_of(self, cpu: int) -> FrequencyPolicy | None:
        """Return the policy of a CPU, or None."""
        return next((policy for policy in self.policies if cpu in policy.cpus), None)


def read_frequency(roots: Roots, cpus: tuple[int, ...]) -> Frequency:
    """Return the frequency policies of the CPUs and the settings of the whole machine."""
    folder = cpu_folder(roots)
    names = (f"policy{number}" for number in numbers_in(folder / "cpufreq", "policy"))
    policies = tuple(
        policy
        for policy in (_read_policy(folder / "cpufreq" / name, name) for name in names)
        if not set(cpus).isdisjoint(policy.cpus)
    )
    biases = ((cpu, _bias(cpu_folder(roots, cpu))) for cpu in cpus)
    return Frequency(
        policies=policies,
        driver_status=_status(folder),
        turbo=_turbo(folder),
        energy_bias={cpu: bias for cpu, bias in biases if bias is not None},
        smt=read_text(folder / "smt" / "control", 64) or None,
        missing=None if policies else _why_no_policies(folder),
    )


def _read_policy(folder: Path, name: str) -> FrequencyPolicy:
    cpus = _cpus(folder / "affected_cpus")
    return FrequencyPolicy(
        name=name,
        cpus=cpus,
        related_cpus=_cpus(folder / "related_cpus") or cpus,
        driver=read_text(folder / "scaling_driver", 64) or None,
        governor=_governor(folder / "scaling_governor"),
        available_governors=tuple(
            (read_text(folder / "scaling_available_governors", 4096) or "").split()
        ),
        min_khz=_khz(folder / "scaling_min_freq"),
        max_khz=_khz(folder / "scaling_max_freq"),
        hardware_min_khz=_khz(folder / "cpuinfo_min_freq"),
        hardware_max_khz=_khz(folder / "cpuinfo_max_freq"),
        base_khz=_khz(folder / "base_frequency") or _acpi_base_khz(folder),
        current_khz=_khz(folder / "scaling_cur_freq"),
        energy_preference=read_text(folder / "energy_performance_preference", 64) or None,
    )


def _governor(path: Path) -> str | None:
    """Return a governor's name, which is also the name of the folder of its tunables."""
    name = read_text(path, 64)
    return name if name and "/" not in name else None


def _cpus(path: Path) -> tuple[int, ...]:
    return cpus_in_list(",".join((read_text(path, 65536) or "").split()))


def _acpi_base_khz(folder: Path) -> int | None:
    """Return the base frequency in kHz that ACPI CPPC reports (in MHz) for the first CPU."""
    cpu = folder.name.removeprefix("policy")
    mhz = _khz(folder.parent.parent / f"cpu{cpu}" / "acpi_cppc" / "nominal_freq")
    return mhz * 1000 if mhz else None


def _khz(path: Path) -> int | None:
    value = read_integer(path)
    return value if value is not None and value > 0 else None


def _bias(folder: Path) -> int | None:
    return read_integer(folder / "power" / "energy_perf_bias")


def _status(folder: Path) -> str | None:
    for name in ("intel_pstate", "amd_pstate"):
        text = read_text(folder / name / "status", 64)
        if text:
            return f"{name} {text}"
    return None


def _turbo(folder: Path) -> Turbo | None:
    no_turbo = read_integer(folder / "intel_pstate" / "no_turbo")
    if no_turbo is not None:
        return Turbo(no_turbo == 0, "intel_pstate/no_turbo")
    boost = read_integer(folder / "cpufreq" / "boost")
    return None if boost is None else Turbo(boost != 0, "cpufreq/boost")


def _why_no_policies(folder: Path) -> str:
    if (folder / "cpufreq").is_dir():
        return "cpufreq has no policies: no driver controls the CPUs' frequency"
    return "no cpufreq: the firmware or the hypervisor sets the frequency and does not report it"
