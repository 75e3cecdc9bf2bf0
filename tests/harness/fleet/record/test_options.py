"""`harness.fleet.record.options`."""

from pathlib import Path

import pytest

from harness.fleet.record.options import FleetRecordOptions
from stallscope.errors import UsageError


def test_options_that_fleet_record_sets_itself_are_refused(tmp_path: Path) -> None:
    for word in ("-o", "-oX", "--output=X", "--control-fd=3"):
        with pytest.raises(UsageError, match="set by fleet record"):
            FleetRecordOptions(hosts=(), output=tmp_path, collector_options=(word,))
