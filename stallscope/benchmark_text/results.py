"""Benchmark results of several files: values by series, and the problems met on the way.

    results = read_benchmarks(["old.txt", "new.txt"])
    for series in range(results.series_count):
        name = results.names[results.columns["name"][series]]
        values = results.values(series)  # numpy, in base units (sec, B), in the order of the lines

A series holds the values with the same file, configuration, name and unit.
"""

import os
import stat
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from stallscope._native import BenchmarkResults as NativeResults


RESULTS_FILE = "bench.txt"  # in a recording of benchmark runs


@dataclass(frozen=True, slots=True)
class ResultSource:
    """A file of results, or a recording: its path, and the label that stands for it in tables."""

    path: str
    label: str


@dataclass(frozen=True, slots=True)
class Problem:
    """A file or line that was not read; ``line`` is None if it is the file."""

    path: str
    line: int | None
    message: str

    @property
    def is_file(self) -> bool:
        """Return whether the whole file was not read."""
        return self.line is None

    def __str__(self) -> str:
        """Return file, line and reason, as compilers print them."""
        return f"{self.path}:{'' if self.line is None else f'{self.line}:'} {self.message}"


class BenchmarkResults:
    """The results of files in columns; see the module's description.

    ``columns``: for each series its file, configuration, name, unit (base), original_unit, whether
    scaling left its values unchanged (0 and infinity), and its size; positions in ``labels``,
    ``configurations``, ``names`` and ``units``.
    """

    def __init__(
        self, native: "NativeResults", sources: Sequence[ResultSource], problems: Sequence[Problem]
    ) -> None:
        """Take over the results of the native reader."""
        self.native = native
        self.sources = tuple(sources)
        self.labels = tuple(source.label for source in sources)
        self.names: list[str] = native.names()
        self.units: list[str] = native.units()
        self.configurations = [dict(entries) for entries in native.configurations()]
        self.columns: dict[str, npt.NDArray[np.int64]] = native.series()
        self.metadata = {(unit, key): value for unit, key, value in native.unit_metadata()}
        self.problems = tuple(problems)

    @property
    def series_count(self) -> int:
        """Return the number of series."""
        return len(self.columns["name"])

    def units_of_series(self, *, keep_unscaled: bool = True) -> "npt.NDArray[np.int64]":
        """Return the unit of each series.

        ``keep_unscaled``: values that scaling leaves unchanged, such as ``0 ns/op``, keep the unit
        as written, which the reference reader does too.
        """
        import numpy as np  # noqa: PLC0415

        if not keep_unscaled:
            return self.columns["unit"]
        unscaled = self.columns["unscaled"] != 0
        return np.where(unscaled, self.columns["original_unit"], self.columns["unit"])

    def values(self, series: int) -> "npt.NDArray[np.float64]":
        """Return the values of a series in the order of the lines."""
        return self.native.values(series)


def sources_of(arguments: Sequence[str]) -> list[ResultSource]:
    """Return the sources of arguments ``path`` or ``label=path``; a repeated path gets ``#N``."""
    split = [argument.partition("=") for argument in arguments]
    plain = Counter(argument for argument in arguments if "=" not in argument)
    numbers: Counter[str] = Counter()
    sources = []
    for argument, (label, equals, path) in zip(arguments, split, strict=True):
        if equals:
            sources.append(ResultSource(path, label))
        elif plain[argument] == 1:
            sources.append(ResultSource(argument, argument))
        else:
            sources.append(ResultSource(argument, f"{argument}#{numbers[argument]}"))
            numbers[argument] += 1
    return sources


def read_benchmarks(arguments: Sequence[str]) -> BenchmarkResults:
    """Return the results of files or recordings, ``path`` or ``label=path``; ``-`` is stdin.

    Files and lines that cannot be read become ``problems``; the rest is read.
    """
    from stallscope import _native  # noqa: PLC0415

    native = _native.BenchmarkResults()
    sources = sources_of(arguments)
    problems: list[Problem] = []
    for number, source in enumerate(sources):
        before = len(native.errors())
        try:
            _read(native, source.path, number)
        except OSError as error:
            problems.append(Problem(source.path, None, error.strerror or str(error)))
        new = native.errors()[before:]
        problems += [Problem(source.path, line, message) for _, line, message in new]
    if native.dropped_errors:
        last = sources[-1].path
        problems.append(Problem(last, 0, f"{native.dropped_errors} more bad lines"))
    return BenchmarkResults(native, sources, problems)


def _read(native: "NativeResults", path: str, number: int) -> None:
    if path == "-":
        native.read(0, number)
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            _read_recording(native, descriptor, number)
        else:
            native.read(descriptor, number)
    finally:
        os.close(descriptor)


def _read_recording(native: "NativeResults", directory: int, number: int) -> None:
    try:
        descriptor = os.open(
            RESULTS_FILE, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY, dir_fd=directory
        )
    except FileNotFoundError as error:
        raise FileNotFoundError(error.errno, f"is a directory without {RESULTS_FILE}") from None
    try:
        native.read(descriptor, number)
    finally:
        os.close(descriptor)
