"""The comparison as CSV: one line per row, numbers in base units with all digits."""

import csv
import io
from collections.abc import Iterator

from harness.bench.compare.result import BenchCompareResult, Sample
from stallscope.printable import printable

COLUMNS = (
    "table,name,unit,column,a_median,a_low,a_high,a_n,b_median,b_low,b_high,b_n,"
    "delta,p,p_holm,verdict"
)


def csv_lines(result: BenchCompareResult) -> Iterator[str]:
    """Yield the header and a line for each row; a missing number is empty."""
    yield COLUMNS
    for row in result.rows:
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="").writerow(
            [
                *map(printable, (row.table, row.name, row.unit, row.column)),
                *_numbers(row.a),
                *_numbers(row.b),
                *(row.delta, row.p, row.p_holm, row.verdict),
            ]
        )
        yield buffer.getvalue()


def _numbers(sample: Sample | None) -> list[float | int | None]:
    if sample is None:
        return [None] * 4
    return [sample.median, sample.low, sample.high, sample.n]
