"""Options of the storm from the command line."""

from dataclasses import replace
from pathlib import Path

import pytest

from harness.labs.storm.disk import measure_disk_storm
from harness.labs.storm.options import storm_options
from harness.labs.storm.result import storm_result
from ioprobe.curve.io_properties import DiskProperties, properties_text
from stallscope.errors import UsageError

VALUES = {
    "rounds": 5, "duration_s": None, "warmup_s": 0.2, "rest_s": 0.0, "recommended": None,
    "limits": "128,8", "shares": "1000:100", "depth": 256, "read_block": "4K",
    "write_block": "128K", "size": "1G", "span": None, "destroy": None, "server": False,
    "output": (), "force": False, "io_properties": None, "write_share": 0.0,
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("limits", "0,8"),
        ("limits", "a"),
        ("limits", ""),
        ("limits", "5000"),
        ("limits", "1,2,3,4,5,6,7,8,9,10,11,12,13"),
        ("shares", "1"),
        ("shares", "0:1"),
        ("shares", "1:2:3"),
        ("read_block", "4X"),
        ("span", "-1"),
        ("output", (Path("a"), Path("b"))),
        ("output", (Path("/nonexistent/x.svg"),)),
    ],
)
def test_invalid_values_are_rejected(name: str, value: object) -> None:
    with pytest.raises(UsageError):
        storm_options("/srv", VALUES | {name: value})


def test_the_length_of_a_run_depends_on_the_target() -> None:
    options = storm_options("/srv", VALUES)
    assert (options.duration_s, options.limits) == (1.0, (128, 8))
    assert storm_options("/srv", VALUES | {"server": True}).duration_s == 3.0
    assert storm_options("sim:servers=8,service=1ms", VALUES).duration_s == 10.0


def test_128_is_always_compared() -> None:
    assert storm_options("/srv", VALUES | {"limits": "4"}).limits == (128, 4)


def test_pictures_and_the_directory_are_separated() -> None:
    paths = (Path("x.svg"), Path("run"), Path("x.PNG"))
    options = storm_options("/srv", VALUES | {"output": paths})
    assert options.output == Path("run")
    assert options.pictures == (Path("x.svg"), Path("x.PNG"))


def test_client_writes_need_the_server() -> None:
    written = VALUES | {"write_share": 0.3}
    with pytest.raises(UsageError, match="requires --server"):
        storm_options("/srv", written)
    assert storm_options("/srv", written | {"server": True}).write_share == 0.3


def test_the_disks_limits_are_read(tmp_path: Path) -> None:
    file = tmp_path / "disk.yaml"
    file.write_text(properties_text(DiskProperties("/", 90e3, 500e6, 50e3, 400e6)))
    options = storm_options("sim:servers=8,service=1ms", VALUES | {"io_properties": file})
    assert options.rates is not None
    assert options.rates.write_bandwidth == 400e6
    short = replace(options, rounds=1, duration_s=0.1, recommended=8)
    text = storm_result(measure_disk_storm(short)).facts["cost of a request"]
    assert f"by size and direction from {file}: reads 90,000/s" in text
