"""Interleaved pairs, kept raw in benchmarks/raw, and the statistics over them."""

import json
import random
import statistics
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from cstates.fingerprint import Fingerprint
from stallscope.host import read_host
from stallscope.json_fields import Fields

RAW = Path(__file__).parent / "raw"


@dataclass(frozen=True, slots=True)
class Case:
    """One comparison: a metric of ours and of the peer, taken alternately."""

    name: str
    metric: str  # with its unit, as "CPU s"
    ours_command: str
    peer_command: str
    bar: str  # the bar in words
    ours: tuple[float, ...] = ()
    peer: tuple[float, ...] = ()
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """The cases of one benchmark, run in one go on one host."""

    benchmark: str
    date: str
    host: str
    command: str
    cases: tuple[Case, ...] = field(default=())
    settings: Fingerprint | None = None  # what the machine was set to; older sessions lack it


def interleave(
    count: int, ours: Callable[[], float], peer: Callable[[], float]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return ``count`` paired readings, the order within a pair alternating."""
    left, right = [], []
    for turn in range(count):
        for which in (
            ((left, ours), (right, peer)) if turn % 2 == 0 else ((right, peer), (left, ours))
        ):
            readings, measure = which
            readings.append(measure())
    return tuple(left), tuple(right)


@dataclass(frozen=True, slots=True)
class Interval:
    """A median with its bootstrap interval of 95 %."""

    median: float
    low: float
    high: float


def bootstrap(values: list[float], statistic: Callable[[list[float]], float]) -> Interval:
    """Return the statistic with its percentile bootstrap interval (2,000 resamples, fixed seed)."""
    generator = random.Random(20)
    resampled = sorted(statistic(generator.choices(values, k=len(values))) for _ in range(2_000))
    return Interval(statistic(values), resampled[49], resampled[1949])


def ratios(case: Case) -> list[float]:
    """Return ours over peer, pair by pair."""
    return [left / right for left, right in zip(case.ours, case.peer, strict=True)]


def differences(case: Case) -> list[float]:
    """Return ours minus peer, pair by pair."""
    return [left - right for left, right in zip(case.ours, case.peer, strict=True)]


def median_interval(values: list[float]) -> Interval:
    """Return the median with its bootstrap interval."""
    return bootstrap(values, statistics.median)


def save(benchmark: str, command: str, cases: list[Case]) -> None:
    """Write a session's raw pairs to benchmarks/raw/<benchmark>.json."""
    host = read_host()
    session = Session(
        benchmark=benchmark,
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        host=f"{host.cpu_model}, {host.cpus_online} CPUs, Linux {host.kernel_release}",
        command=command,
        cases=tuple(cases),
    )
    RAW.mkdir(exist_ok=True)
    (RAW / f"{benchmark}.json").write_text(json.dumps(asdict(session), indent=1) + "\n")


def keep_settings(benchmark: str, found: Fingerprint | None) -> None:
    """Add what the machine was set to, while it ran, to a session that save() wrote."""
    path = RAW / f"{benchmark}.json"
    document = json.loads(path.read_text())
    document["settings"] = found and found.document()
    path.write_text(json.dumps(document, indent=1) + "\n")


def sessions() -> Iterator[Session]:
    """Return every kept session, by name."""
    for path in sorted(RAW.glob("*.json")):
        document = json.loads(path.read_text())
        cases = tuple(
            Case(**{**case, "ours": tuple(case["ours"]), "peer": tuple(case["peer"])})
            for case in document.pop("cases")
        )
        settings = document.pop("settings", None)
        yield Session(
            **document,
            cases=cases,
            settings=settings and Fingerprint.of(Fields(settings, str(path))),
        )
