"""Options of `stallscope bench scale`."""

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from harness.page.pictures import SUFFIXES as PICTURES
from stallscope.errors import UsageError

MAX_COUNT = 1_000_000
MAX_COUNTS = 1_000
SUFFIXES = (".csv", ".json", ".html", *PICTURES)
PLACEHOLDER = "{n}"
FIRST_RATE = "first"  # --fixed-lambda: the throughput at the smallest count


class Work(StrEnum):
    """What a run of the command does: all of the work together, or as much per thread."""

    TOTAL = "total"
    PER_THREAD = "thread"


@dataclass(frozen=True, slots=True)
class FitOptions:
    """How the models are fitted: the rate is free, or given, or that of the smallest count."""

    fixed_rate: float | str | None = None
    think_s: float = 0.0
    axis: str = "threads"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The command to run: ``{n}`` in its words is the count."""

    command: tuple[str, ...]
    counts: tuple[int, ...]
    rounds: int = 3
    warmup: int = 1  # runs of the smallest count that are not measured
    work: Work = Work.TOTAL
    timeout_s: float = 600.0
    ignore_failure: bool = False


@dataclass(frozen=True, slots=True)
class BenchScaleOptions:
    """Options of one command; either a command is run or a file is read."""

    run: RunOptions | None
    source: Path | None
    fit: FitOptions = field(default_factory=FitOptions)
    unit: str | None = None  # of benchmark lines; None: a rate, otherwise a time
    name: str | None = None  # of the benchmark
    recordings: tuple[tuple[int, Path], ...] = ()
    outputs: tuple[Path, ...] = ()


def parse_counts(text: str) -> tuple[int, ...]:
    """Return the distinct counts of a list such as "1,2,4", in order. Raises UsageError."""
    try:
        counts = sorted({int(word) for word in text.split(",")})
    except ValueError:
        counts = []
    if not counts or counts[0] < 1 or counts[-1] > MAX_COUNT or len(counts) > MAX_COUNTS:
        raise UsageError(
            f"--counts {text[:80]}: expected whole numbers from 1 to {MAX_COUNT}",
            "for example --counts 1,2,4,8",
        )
    return tuple(counts)


def parse_fixed_rate(text: str | None) -> float | str | None:
    """Return the value of --fixed-lambda: a number above 0, or FIRST_RATE. Raises UsageError."""
    if text is None or text == FIRST_RATE:
        return text
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise UsageError(
            f"--fixed-lambda {text[:80]}: expected a number above 0, or {FIRST_RATE!r}",
            "for speed-ups: --fixed-lambda 1",
        )
    return value


def parse_recordings(texts: tuple[str, ...]) -> tuple[tuple[int, Path], ...]:
    """Return counts and recordings of words such as "8=eight-threads". Raises UsageError."""
    pairs = []
    for text in texts:
        count, separator, path = text.partition("=")
        if not separator or not path or not count.isdecimal() or not 1 <= int(count) <= MAX_COUNT:
            raise UsageError(
                f"--recording {text[:80]}: expected COUNT=RECORDING",
                "for example --recording 1=one-thread --recording 8=eight-threads",
            )
        pairs.append((int(count), Path(path)))
    return tuple(sorted(pairs))


def scale_options(
    words: tuple[str, ...], run: "RunOptions | None", **values: object
) -> BenchScaleOptions:
    """Return the options of a command line; without a command, its only word is a file.

    Raises UsageError.
    """
    if run is not None:
        if not any(PLACEHOLDER in word for word in run.command):
            raise UsageError(
                f"the command does not contain {PLACEHOLDER}",
                "for example: stallscope bench scale --counts 1,2,4 -- sysbench --threads={n} run",
            )
        return BenchScaleOptions(run=run, source=None, **values)  # type: ignore[arg-type]
    if len(words) != 1:
        raise UsageError(
            "expected one file, or --counts and a command",
            "for example: stallscope bench scale --counts 1,2,4 -- ./work --threads {n}",
        )
    return BenchScaleOptions(run=None, source=Path(words[0]), **values)  # type: ignore[arg-type]
