"""Options of `stallscope lab memory`, and their values from the command line."""

from dataclasses import dataclass

from harness.labs.memory.points import LINE_BYTES, Pages
from harness.page.pictures import SUFFIXES as PICTURES
from stallscope.errors import UsageError
from stallscope.quantities import parse_size, size_text

KIB, MIB, GIB = 2**10, 2**20, 2**30
SMALLEST_BYTES = 4 * KIB
SUFFIXES = (*PICTURES, ".json")
_LARGEST_RING = 2**42
_LARGEST_STRIDE = 2**30
_MAX_STRIDES = 64


@dataclass(frozen=True, slots=True)
class MemoryOptions:
    """Options of the memory lab; an empty tuple stands for the default."""

    min_bytes: int = SMALLEST_BYTES
    max_bytes: int = GIB
    pages: tuple[Pages, ...] = (Pages.HUGE, Pages.SMALL)
    strides: tuple[int, ...] = ()
    threads: tuple[int, ...] = ()
    quick: bool = False
    events: tuple[str, ...] = ()  # to count, in addition to software events; empty: the default


@dataclass(frozen=True, slots=True)
class OptionTexts:
    """Option values as written on the command line."""

    min_size: str
    max_size: str
    pages: str
    strides: str | None
    threads: str | None


def memory_options(
    texts: OptionTexts, *, quick: bool, cpu_count: int, events: tuple[str, ...] = ()
) -> MemoryOptions:
    """Return the options; raises UsageError for an invalid value."""
    min_bytes = _ring("--min-size", texts.min_size)
    max_bytes = _ring("--max-size", texts.max_size)
    if min_bytes > max_bytes:
        raise UsageError(
            f"--min-size {texts.min_size} is more than --max-size {texts.max_size}",
            "exchange the two values",
        )
    return MemoryOptions(
        min_bytes=min_bytes,
        max_bytes=max_bytes,
        pages=tuple(Pages) if texts.pages == "both" else (Pages(texts.pages),),
        strides=_strides(texts.strides) if texts.strides is not None else (),
        threads=_threads(texts.threads, cpu_count) if texts.threads is not None else (),
        quick=quick,
        events=events,
    )


def _ring(name: str, text: str) -> int:
    size = parse_size(text)
    if size is None or not SMALLEST_BYTES <= size <= _LARGEST_RING:
        raise UsageError(
            f"{name}: {text!r} is not a valid ring size",
            f"write it as 64K, 8M or 1G, from {size_text(SMALLEST_BYTES)} to "
            f"{size_text(_LARGEST_RING)}",
        )
    return size // LINE_BYTES * LINE_BYTES


def _strides(text: str) -> tuple[int, ...]:
    strides = [parse_size(word) for word in text.split(",")[: _MAX_STRIDES + 1]]
    numbers = [stride for stride in strides if stride is not None]
    is_list = len(numbers) == len(strides) <= _MAX_STRIDES
    if not is_list or any(
        s % LINE_BYTES or not LINE_BYTES <= s <= _LARGEST_STRIDE for s in numbers
    ):
        raise UsageError(
            f"--strides: {text[:80]!r} is not a list of strides",
            f"write up to {_MAX_STRIDES} multiples of {LINE_BYTES} bytes, such as 4096,4160,64K",
        )
    return tuple(sorted(set(numbers)))


def _threads(text: str, cpu_count: int) -> tuple[int, ...]:
    words = text.split(",")
    counts = [int(word) for word in words if word.isascii() and word.isdecimal() and len(word) < 6]
    if len(counts) < len(words) or not all(1 <= count <= cpu_count for count in counts):
        raise UsageError(
            f"--threads: {text[:80]!r} is not a list of thread counts from 1 to {cpu_count}",
            "write it as 1,2,4; each thread needs its own CPU",
        )
    return tuple(sorted(set(counts)))
