"""What a person asks to be pinned."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any


class Wish(StrEnum):
    """What a profile asks for, each where the machine has it."""

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


SHALLOWEST = "shallowest"  # of states: POLL and the first that sleeps, by the machine's own table


@dataclass(frozen=True, slots=True)
class PinRequest:
    """What to pin; what is not asked for is as usual. ``optional``: left out where it cannot be."""

    cpus: str | None = None  # of the command; None: where this process may run
    states: tuple[str, ...] = ()  # to be left open, by name; SHALLOWEST alone: by the table
    max_exit_latency_us: int | None = None
    idle_governor: str | None = None
    governor: str | None = None  # of frequency
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
    distrust_disable: bool = False  # the counters have shown that `disable` does nothing here
    optional: frozenset[Wish] = field(default_factory=frozenset)

    @property
    def of_machine(self) -> bool:
        """Return whether more than the command's own process is asked for."""
        own = PinRequest(
            cpus=self.cpus,
            smt_siblings_idle=self.smt_siblings_idle,
            aslr_off=self.aslr_off,
            thp_off=self.thp_off,
            nice=self.nice,
            optional=self.optional,
        )
        return self != own


def bench_profile(asked: PinRequest) -> PinRequest:
    """Return the request with what benchmarks pin added, where it asks for nothing else itself.

    Shallow sleep, base frequency without turbo, one CPU of each core, addresses the same each run,
    interrupts elsewhere, no NUMA balancing, no NMI watchdog. What the machine lacks is left out.
    """
    own: dict[Wish, dict[str, Any]] = {}
    if not asked.states and asked.max_exit_latency_us is None:
        own[Wish.STATES] = {"states": (SHALLOWEST,)}
    if asked.governor is None:
        own[Wish.GOVERNOR] = {"governor": "performance"}
    if asked.frequency is None:
        own[Wish.FREQUENCY] = {"frequency": "base"}
    if asked.energy_preference is None:
        own[Wish.ENERGY_PREFERENCE] = {"energy_preference": "performance"}
    own[Wish.NO_TURBO] = {"no_turbo": True}
    own[Wish.SMT_SIBLINGS] = {"smt_siblings_idle": True}
    own[Wish.ASLR] = {"aslr_off": True}
    own[Wish.IRQ_AWAY] = {"irq_away": True}
    own[Wish.NUMA_BALANCING] = {"numa_balancing_off": True}
    own[Wish.NMI_WATCHDOG] = {"nmi_watchdog_off": True}
    added = {
        wish: values
        for wish, values in own.items()
        if not any(getattr(asked, name) is True for name in values)
    }
    merged: dict[str, Any] = {}
    for values in added.values():
        merged.update(values)
    return replace(asked, **merged, optional=asked.optional | frozenset(added))
