"""Documents and tables of measurements, decoded."""

import csv
import io
import json
from typing import Any

from harness.topdown.result import topdown_result
from harness.topdown.table import table
from stallscope.documents import encode
from topdown.slots.measurement import Measurement


def parsed(measurement: Measurement, level: int | None = None) -> Any:
    return json.loads(encode(topdown_result(measurement).to_level(level)))


def rows(measurement: Measurement, level: int | None = None) -> list[dict[str, str]]:
    return list(
        csv.DictReader(io.StringIO("".join(table(topdown_result(measurement).to_level(level)))))
    )
