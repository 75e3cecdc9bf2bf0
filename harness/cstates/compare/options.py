"""The options of `stallscope cstates compare`: settings, command or load, rounds."""

from collections.abc import Iterator
from dataclasses import dataclass

from cstates.comparison.candidates import CandidateSet
from cstates.comparison.differences import MIN_EFFECT
from harness.cstates.compare.subject import LoadPlan
from harness.workload.cores import two_cores, usable_cpus
from harness.workload.machine import read_machine
from stallscope.cpu_lists import format_cpu_list
from stallscope.errors import UsageError
from stallscope.system_files import Roots

DEFAULT_CONNECTIONS = "4"
DEFAULT_RATE_PER_S = 1000.0
DEFAULT_SECONDS = 1.0
DEFAULT_WARMUP_S = 0.2
MOST_CONNECTIONS = 10_000
MOST_ROWS = 32


@dataclass(frozen=True, slots=True)
class CStatesCompareOptions:
    """What to compare: a command, or a load instead."""

    candidates: CandidateSet
    command: tuple[str, ...]
    load: LoadPlan | None
    rounds: int
    seed: int
    min_effect: float = MIN_EFFECT  # share of a median

    def notes(self) -> Iterator[str]:
        """Yield what limits the results before anything runs."""
        load = self.load
        if load and len(load.cpus) < load.processes:
            yield (
                f"{load.processes} processes share {len(load.cpus)} CPUs: the CPUs sleep less than "
                "with a CPU per process"
            )


@dataclass(frozen=True, slots=True)
class LoadOptionValues:
    """The options of --load as on the command line; None if absent."""

    rate: float | None = None
    seconds: float | None = None
    warmup: float | None = None
    connections: str | None = None
    processes: str | None = None
    loop: str | None = None

    def check_absent(self) -> None:
        """Raise UsageError if there is an option, because there is no --load."""
        for name in self.__slots__:
            if getattr(self, name) is not None:
                raise UsageError(f"--{name} needs --load", f"add --load, or omit --{name}")

    def plan(self, cpu_list: str | None) -> LoadPlan:
        """Return the load, on CPUs of the live machine.

        Raises UsageError for an invalid value, UnableError if there is only one CPU.
        """
        closed = self.loop == "closed"
        if closed and self.rate is not None:
            raise UsageError(
                "a closed loop has no --rate: each reply triggers the next request",
                "omit --rate, or use --loop open",
            )
        allowed = usable_cpus(cpu_list)
        cores = two_cores(Roots(), allowed)
        cpus = read_machine(Roots(), allowed).cpus
        three = self.processes == "3"
        # Neighbours in the chain have different CPUs: with two, server and loader share one.
        last_cpu = cpus[2] if len(cpus) > 2 else cores.loader
        return LoadPlan(
            rate_per_s=None if closed else _or_default(self.rate, DEFAULT_RATE_PER_S),
            seconds=_or_default(self.seconds, DEFAULT_SECONDS),
            warmup_s=_or_default(self.warmup, DEFAULT_WARMUP_S),
            connections=connection_counts(self.connections or DEFAULT_CONNECTIONS),
            server_cpu=last_cpu if three else cores.server,
            loader_cpu=cores.loader,
            front_end_cpu=cores.server if three else None,
        )


def _or_default(value: float | None, default: float) -> float:
    return default if value is None else value


def connection_counts(text: str) -> tuple[int, ...]:
    """Return the numbers of connections of a list such as "1,2,4"; UsageError if invalid."""
    words = text.split(",")
    valid = all(word.isascii() and word.isdecimal() and len(word) <= 5 for word in words)
    counts = tuple(dict.fromkeys(int(word) for word in words)) if valid else ()
    if not counts or min(counts) < 1 or max(counts) > MOST_CONNECTIONS:
        raise UsageError(
            f"--connections {text[:64]!r} is not a list of numbers from 1 to {MOST_CONNECTIONS}",
            "for example --connections 1,2,4,8",
        )
    if len(counts) > MOST_ROWS:
        raise UsageError(f"--connections names {len(counts)} numbers", f"name at most {MOST_ROWS}")
    return counts


def cpus_of(plan: LoadPlan) -> str:
    """Return the CPU list of a load."""
    return format_cpu_list(sorted(plan.cpus))
