"""Cases, their bars, and the sessions that are kept in benchmarks/raw.

A session is one run of one benchmark on one machine. `raw/<benchmark>/<machine>.json` holds the
newest session of each machine model with every reading; docs/benchmarks.md is generated from it.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

from cstates.fingerprint import Fingerprint
from stallscope.documents import Record, encode, read_document

RAW = Path(__file__).parent / "raw"


class Quantity(StrEnum):
    """The quantity that a bar limits."""

    RATIO = "ratio"  # ours / peer, pair by pair
    DIFFERENCE = "difference"  # ours - peer, pair by pair
    OURS = "ours"
    PEER_RANGE = "peer range"  # ours, between the smallest and the largest reading of the peer
    EVERY_DIFFERENCE = "every difference"  # the largest |ours - peer| of all pairs


class Bound(Record, frozen=True, omit_defaults=True):
    """One limit of a bar: on a ratio, a difference, or a value of ours."""

    quantity: Quantity
    at_least: float | None = None
    at_most: float | None = None

    def __str__(self) -> str:
        """Return the bound as a phrase, such as "ratio at least 1.1"."""
        if self.quantity is Quantity.PEER_RANGE:
            return "within the peer's range"
        limits = []
        if self.at_least is not None:
            limits.append(f"at least {self.at_least:,g}")
        if self.at_most is not None:
            limits.append(f"at most {self.at_most:,g}")
        return f"{self.quantity} {' and '.join(limits)}"


Bar = tuple[Bound, ...]  # met if every bound is met; () for a figure without a bar


def ratio(*, at_least: float | None = None, at_most: float | None = None) -> Bound:
    """Return a bound on ours / peer."""
    return Bound(Quantity.RATIO, at_least, at_most)


def difference(*, at_most: float) -> Bound:
    """Return a bound on our value minus the peer's."""
    return Bound(Quantity.DIFFERENCE, at_most=at_most)


def ours(*, at_least: float | None = None, at_most: float | None = None) -> Bound:
    """Return a bound on our own value."""
    return Bound(Quantity.OURS, at_least, at_most)


PEER_RANGE = Bound(Quantity.PEER_RANGE)


class Case(Record, frozen=True, omit_defaults=True, kw_only=True):
    """One metric of one comparison, measured alternately for ours and the peer."""

    name: str
    metric: str  # with its unit, as "CPU s"
    ours_command: str
    peer_command: str = ""  # empty: there is no peer
    bar: Bar = ()
    ours: tuple[float, ...]
    peer: tuple[float, ...] = ()
    by_difference: bool = False  # percentages and points are compared by difference, not by ratio
    exact: bool = False  # counted, not timed: one value decides
    notes: str = ""


class BenchmarkSession(Record, frozen=True, kw_only=True):
    """The cases of one benchmark, measured in one run on one machine."""

    benchmark: str
    date: str
    host: str
    command: str
    cases: tuple[Case, ...]
    settings: Fingerprint | None = None  # sleep states and frequency of the machine

    @property
    def machine(self) -> str:
        """Return the CPU model."""
        return self.host.partition(",")[0]


def save(session: BenchmarkSession) -> Path:
    """Write a session to its file below benchmarks/raw and return the path."""
    slug = re.sub(r"\((R|TM)\)", "", session.machine).lower()
    slug = "-".join(re.findall(r"[a-z0-9]+", slug)) or "unknown"
    path = RAW / session.benchmark / f"{slug}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(encode(session, indent=1) + "\n")
    return path


def sessions(raw: Path = RAW) -> Iterator[BenchmarkSession]:
    """Yield every kept session: by benchmark, then from the newest to the oldest."""
    for folder in sorted(path for path in raw.iterdir() if path.is_dir()):
        documents = [read_document(path, BenchmarkSession) for path in folder.glob("*.json")]
        yield from sorted(documents, key=lambda session: session.date, reverse=True)
