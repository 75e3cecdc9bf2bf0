"""The io-properties.yaml file."""

from pathlib import Path

import pytest
import yaml

from ioprobe.curve.io_properties import DiskProperties, DiskRates, properties_text, read_rates
from stallscope.errors import RecordingError, UsageError


def test_limits_that_were_not_measured_are_left_out() -> None:
    text = properties_text(DiskProperties("/var/lib/db", 95000.7, 545e6))
    assert yaml.safe_load(text) == {
        "disks": [{"mountpoint": "/var/lib/db", "read_iops": 95000, "read_bandwidth": 545000000}]
    }
    assert text.startswith("# Writes were not measured")
    assert "disks:\n- mountpoint: /var/lib/db\n  read_iops: 95000\n" in text


def test_a_file_with_all_limits_has_no_comment() -> None:
    text = properties_text(DiskProperties("/", 1000, 2000, 3000, 4000))
    assert text == (
        "disks:\n- mountpoint: /\n  read_iops: 1000\n  read_bandwidth: 2000\n"
        "  write_iops: 3000\n  write_bandwidth: 4000\n"
    )


def test_a_mountpoint_with_yaml_syntax_stays_a_string() -> None:
    for name in ("/mnt/a: b", "/mnt/\n- x", "/mnt/\udc80", "/mnt/'\"#", "/mnt/é"):
        text = properties_text(DiskProperties(name, 1, 1))
        assert yaml.safe_load(text)["disks"][0]["mountpoint"].startswith("/mnt/")
        assert set(yaml.safe_load(text)["disks"][0]) == {
            "mountpoint",
            "read_iops",
            "read_bandwidth",
        }


def test_a_limit_below_one_is_left_out() -> None:
    assert DiskProperties("/", None, 0.2).document() == {"mountpoint": "/"}


def test_a_written_file_is_read_back(tmp_path: Path) -> None:
    file = tmp_path / "disk.yaml"
    file.write_text(properties_text(DiskProperties("/mnt/'a", 1000.5, 2e6, 3000, 4e6)))
    rates = read_rates(file)
    assert rates == DiskRates(
        read_iops=1000, read_bandwidth=2e6, write_iops=3000, write_bandwidth=4e6
    )
    assert rates.argument() == (
        "read_iops=1000,read_bandwidth=2000000,write_iops=3000,write_bandwidth=4000000"
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (properties_text(DiskProperties("/", 1000, 2000)), "write_iops"),
        ("disks: []", "has 0 disks"),
        ("disks: [", "is not YAML"),
        ("[" * 1200, "is not YAML"),
        ("disks: 5", "Expected `array`"),
        (properties_text(DiskProperties("/", 1, 2, 3, 4)).replace("4", "true"), "write_bandwidth"),
        (properties_text(DiskProperties("/", 1, 2, 3, 4)).replace("4", "-4"), "write_bandwidth"),
        (properties_text(DiskProperties("/", 1, 2, 3, 4)).replace("4", ".nan"), "write_bandwidth"),
    ],
)
def test_an_incomplete_or_invalid_file_is_rejected(tmp_path: Path, text: str, reason: str) -> None:
    file = tmp_path / "disk.yaml"
    file.write_text(text)
    with pytest.raises(UsageError, match=reason):
        read_rates(file)


def test_a_file_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="No such file"):
        read_rates(tmp_path / "none.yaml")
