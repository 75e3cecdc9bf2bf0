"""The io-properties.yaml file."""

import yaml

from ioprobe.curve.io_properties import DiskProperties, properties_text


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
