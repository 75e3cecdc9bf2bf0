"""Options of `stallscope io queue`."""

from pathlib import Path

import pytest

from harness.io.queue.options import QueueOptions
from stallscope.errors import UsageError
from stallscope.system_files import Roots


def test_the_counters_of_a_recorded_machine_cannot_be_watched(tmp_path: Path) -> None:
    recorded = Roots(proc=tmp_path, sys=tmp_path)
    with pytest.raises(UsageError, match="--interval needs the live machine"):
        QueueOptions(path=Path("/srv"), roots=recorded, interval_s=1.0)
    assert QueueOptions(path=Path("/srv"), roots=recorded, interval_s=None).output is None
    assert QueueOptions(path=Path("/srv"), roots=Roots(), interval_s=1.0).interval_s == 1.0
