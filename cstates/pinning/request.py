"""The settings to pin, as requested by options or a profile."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any


class OptionalSetting(StrEnum):
    """The settings that a profile skips if the machine does not support them."""

    STATES = "states"
    GOVERNOR = "governor"
    FREQUENCY = "frequency"
    NO_TURBO = "no-turbo"
    ENERGY_PREFERENCE = "epp"
    ENERGY_BIAS = "epb"
    SMT_SIBLINGS = "smt-siblings"
    ASLR = "aslr"
    IRQ_AWAY = "irq-away"
    NUMA_BALANCING = "numa-balancing"
    NMI_WATCHDOG = "nmi-watchdog"


SHALLOWEST = "shallowest"  # a name for POLL and the first sleep state of the machine's own table


@dataclass(frozen=True, slots=True)
class PinRequest:
    """The settings to pin; others stay unchanged. ``optional`` ones may be skipped."""

    cpus: str | None = None  # for the command; None: this process's affinity
    states: tuple[str, ...] = ()  # names of open states, or SHALLOWEST alone
    max_exit_latency_us: int | None = None
    idle_governor: str | None = None
    governor: str | None = None  # for the frequency
    frequency: str | None = None  # base, max or kHz
    no_turbo: bool = False
    energy_preference: str | None = None
    energy_bias: str | None = None
    smt_siblings_idle: bool = False
    aslr_off: bool = False
    thp_off: bool = False
    nice: int | None = None
    irq_away: bool = False
    numa_balancing_off: bool = False
    nmi_watchdog_off: bool = False
    force_effective: bool = False
    distrust_disable: bool = False  # the counters have shown that `disable` has no effect
    optional: frozenset[OptionalSetting] = field(default_factory=frozenset)

    @property
    def changes_machine(self) -> bool:
        """Return whether the request exceeds settings of the command's own process."""
        process_only = PinRequest(
            cpus=self.cpus,
            smt_siblings_idle=self.smt_siblings_idle,
            aslr_off=self.aslr_off,
            thp_off=self.thp_off,
            nice=self.nice,
            optional=self.optional,
        )
        return self != process_only


def bench_profile(request: PinRequest) -> PinRequest:
    """Return the request with the settings of the benchmark profile added.

    Shallow sleep, base frequency without turbo, one CPU per core, equal addresses in each run,
    interrupts on other CPUs, no NUMA balancing, no NMI watchdog. Explicit options take precedence;
    settings that the machine does not support are skipped.
    """
    profile: dict[OptionalSetting, dict[str, Any]] = {}
    if not request.states and request.max_exit_latency_us is None:
        profile[OptionalSetting.STATES] = {"states": (SHALLOWEST,)}
    if request.governor is None:
        profile[OptionalSetting.GOVERNOR] = {"governor": "performance"}
    if request.frequency is None:
        profile[OptionalSetting.FREQUENCY] = {"frequency": "base"}
    if request.energy_preference is None:
        profile[OptionalSetting.ENERGY_PREFERENCE] = {"energy_preference": "performance"}
    profile[OptionalSetting.NO_TURBO] = {"no_turbo": True}
    profile[OptionalSetting.SMT_SIBLINGS] = {"smt_siblings_idle": True}
    profile[OptionalSetting.ASLR] = {"aslr_off": True}
    profile[OptionalSetting.IRQ_AWAY] = {"irq_away": True}
    profile[OptionalSetting.NUMA_BALANCING] = {"numa_balancing_off": True}
    profile[OptionalSetting.NMI_WATCHDOG] = {"nmi_watchdog_off": True}
    added = {
        wish: values
        for wish, values in profile.items()
        if not any(getattr(request, name) is True for name in values)
    }
    merged: dict[str, Any] = {}
    for values in added.values():
        merged.update(values)
    return replace(request, **merged, optional=request.optional | frozenset(added))
