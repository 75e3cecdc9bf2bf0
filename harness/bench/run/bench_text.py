"""The file bench.txt: the runs in the Go benchmark format (golang/proposal design/14313)."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from harness.bench.plan.commands import MatrixPlace, benchmark_name
from harness.bench.run.measurement import Measured, MeasuredRun
from stallscope.benchmark_text.writer import configuration_line, result_line, unit_line
from stallscope.printable import visible_text
from stallscope.recordings import RecordedHost

_RESULT = re.compile(r"Benchmark(?![a-z])\S*(?:\s+\d+)(?:\s+[-+.\w]+\s+\S+)+\s*")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?[Ii]nf(?:inity)?|[Nn]a[Nn]")
_LONGEST_LINE = 65_536


def benchmark_lines(output: bytes) -> tuple[tuple[str, ...], str]:
    """Return the result lines in the output of a command, and the first malformed one."""
    lines, junk = [], ""
    for line in output.decode("utf-8", "replace").splitlines():
        if not line.startswith("Benchmark") or line[9:10].islower() or " " not in line.strip():
            continue
        if _is_result(line):
            lines.append(line.strip())
        else:
            junk = junk or line[:200]
    return tuple(lines), junk


def _is_result(line: str) -> bool:
    words = line.split()
    return (
        len(line) < _LONGEST_LINE
        and _RESULT.fullmatch(line) is not None
        and len(words) % 2 == 0
        and all(map(_NUMBER.fullmatch, words[2::2]))
    )


def operation_times_ns(lines: Iterable[str]) -> Iterator[float]:
    """Yield the finite times per operation of result lines with the name of the first one."""
    first = ""
    for line in lines:
        words = line.split()
        first = first or words[0]
        if words[0] != first:
            continue
        for value, unit in zip(words[2::2], words[3::2], strict=False):
            if unit == "ns/op" and math.isfinite(float(value)):
                yield float(value)


def text_lines(
    names: Sequence[str],
    measured: Measured,
    host: RecordedHost,
    version: str,
    places: Sequence[MatrixPlace | None] = (),
) -> Iterator[str]:
    """Yield the lines of the file: the host, every successful run, and the lines they printed.

    Runs are in the order of the measurement. Lines that a command printed are under the key
    ``command``, which is deleted after them; those of a data set are under ``cluster`` and
    ``dataset`` with the name of their row, so that two files compare row by row.
    """
    for key, value in {
        "stallscope": version,
        "host": host.hostname,
        "kernel": host.kernel_release,
        "cpu": host.cpu_model,
    }.items():
        if value:
            yield configuration_line(key, visible_text(value, 200))
    yield unit_line("maxrss-B", better="lower")
    yield ""
    for run in measured.runs:
        if not run.failed:
            yield run_line(names[run.command], run)
    for printed in measured.printed:
        place = places[printed.command] if places else None
        if place is None or not place.dataset:
            yield from _printed_lines({"command": names[printed.command]}, printed.lines)
        else:
            keys = {"cluster": place.cluster, "dataset": place.dataset}
            yield from _printed_lines(keys, _row_lines(place, printed.lines))


def _row_lines(place: MatrixPlace, lines: Sequence[str]) -> list[str]:
    """Return printed lines under the name of their row.

    If a client prints several names, each is appended to that of the row.
    """
    row = f"Benchmark{benchmark_name(place.row)}"
    several = len({line.split()[0] for line in lines}) > 1
    return [
        " ".join([f"{row}/{name.removeprefix('Benchmark')}" if several else row, *values])
        for name, *values in map(str.split, lines)
    ]


def run_line(name: str, run: MeasuredRun) -> str:
    """Return the result line of a run."""
    values = {
        "ns/op": run.wall_ns,
        "user-ns/op": run.user_us * 1000,
        "sys-ns/op": run.system_us * 1000,
        "maxrss-B": run.max_rss_bytes,
        "minor-faults": run.minor_faults,
        "major-faults": run.major_faults,
        "voluntary-switches": run.voluntary_switches,
        "involuntary-switches": run.involuntary_switches,
    }
    return result_line(name, 1, values)


def _printed_lines(keys: Mapping[str, str], lines: Sequence[str]) -> Iterator[str]:
    yield ""
    for key, value in keys.items():
        if value:
            yield configuration_line(key, value)
    yield from lines
    for key, value in keys.items():
        if value:
            yield configuration_line(key, "")
