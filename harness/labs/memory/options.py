"""From the memory lab's command line to its options, every value checked."""

from dataclasses import dataclass

from harness.labs.memory.plan import SMALLEST_BYTES, LabOptions
from harness.labs.memory.points import LINE_BYTES, Pages
from stallscope.errors import UsageError
from stallscope.quantities import parse_size, size_text

_LARGEST_RING = 2**42
_LARGEST_STRIDE = 2**30
_MOST_STRIDES = 64


@dataclass(frozen=True, slots=True)
class OptionTexts:
    """The words of the command line."""

    least: str
    most: str
    pages: str
    strides: str | None
    threads: str | None


def lab_options(texts: OptionTexts, *, quick: bool, cpu_count: int) -> LabOptions:
    """Return the options; raises UsageError for each that makes no sense."""
    least, most = _ring("--least", texts.least), _ring("--most", texts.most)
    if least > most:
        raise UsageError(
            f"--least {texts.least} is more than --most {texts.most}", "turn them round"
        )
    return LabOptions(
        least_bytes=least,
        most_bytes=most,
        pages=tuple(Pages) if texts.pages == "both" else (Pages(texts.pages),),
        strides=_strides(texts.strides) if texts.strides is not None else (),
        threads=_threads(texts.threads, cpu_count) if texts.threads is not None else (),
        quick=quick,
    )


def _ring(name: str, text: str) -> int:
    size = parse_size(text)
    if size is None or not SMALLEST_BYTES <= size <= _LARGEST_RING:
        raise UsageError(
            f"{name}: {text!r} is no size of a ring",
            f"write it as 64K, 8M or 1G, from {size_text(SMALLEST_BYTES)} to "
            f"{size_text(_LARGEST_RING)}",
        )
    return size // LINE_BYTES * LINE_BYTES


def _strides(text: str) -> tuple[int, ...]:
    strides = [parse_size(word) for word in text.split(",")[: _MOST_STRIDES + 1]]
    known = [stride for stride in strides if stride is not None]
    wrong = len(known) < len(strides) or len(strides) > _MOST_STRIDES
    if wrong or any(s % LINE_BYTES or not LINE_BYTES <= s <= _LARGEST_STRIDE for s in known):
        raise UsageError(
            f"--strides: {text[:80]!r} is no list of strides",
            f"write up to {_MOST_STRIDES} multiples of {LINE_BYTES} bytes, as 4096,4160,64K",
        )
    return tuple(sorted(set(known)))


def _threads(text: str, cpu_count: int) -> tuple[int, ...]:
    words = text.split(",")
    counts = [int(word) for word in words if word.isascii() and word.isdecimal() and len(word) < 6]
    if len(counts) < len(words) or not all(1 <= count <= cpu_count for count in counts):
        raise UsageError(
            f"--threads: {text[:80]!r} is no list of thread counts from 1 to {cpu_count}",
            "write them as 1,2,4: no more than there are CPUs, each thread has its own",
        )
    return tuple(sorted(set(counts)))
