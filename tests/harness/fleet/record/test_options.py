"""Options of `stallscope fleet record`."""

from pathlib import Path

import pytest

from harness.fleet.hosts import Host
from harness.fleet.record.options import FleetRecordOptions
from stallscope.errors import UsageError

HOSTS = (Host("a", "a"),)


def test_the_output_on_a_host_is_not_chosen() -> None:
    options = FleetRecordOptions(hosts=HOSTS, output=Path("x"), arguments=("-a",))
    assert options.parallel == 16
    with pytest.raises(UsageError, match="--output is set by fleet record"):
        FleetRecordOptions(hosts=HOSTS, output=Path("x"), arguments=("--output=/etc",))
    with pytest.raises(UsageError, match="nothing to record"):
        FleetRecordOptions(hosts=HOSTS, output=Path("x"), arguments=())
