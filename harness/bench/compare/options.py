"""Options of `stallscope bench compare`."""

from dataclasses import dataclass
from pathlib import Path

from stallscope.benchmark_text.grid import GridOptions

STYLES = ("stallscope", "benchstat", "2017")
FORMATS = ("text", "csv")


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchCompareOptions:
    """Files, the expressions that make tables, and how results are judged and printed.

    ``files`` are paths or ``label=path``; ``alpha`` is the family-wise error rate of all rows.
    """

    files: tuple[str, ...]
    grid: GridOptions
    alpha: float = 0.05
    confidence: float = 0.95
    style: str = STYLES[0]
    file_format: str = FORMATS[0]
    page: Path | None = None
    fail_if_worse: bool = False
