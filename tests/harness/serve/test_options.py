"""Options of `stallscope serve`."""

from pathlib import Path

import pytest

from harness.serve.options import serve_options
from ioprobe.curve.io_properties import DiskProperties, properties_text
from stallscope.errors import UsageError


def test_the_disks_limits_become_the_servers_rates(tmp_path: Path) -> None:
    file = tmp_path / "disk.yaml"
    file.write_text(properties_text(DiskProperties("/", 1000, 2000, 3000, 4000)))
    options = serve_options("off", {"path": "disk", "io_properties": file})
    assert not options.stages
    words = options.arguments()
    assert words[words.index("--disk-rates") + 1].startswith("read_iops=1000,read_bandwidth=2000,")


def test_the_disks_limits_need_a_disk(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="requires --path disk"):
        serve_options("on", {"path": "kv", "io_properties": tmp_path / "disk.yaml"})
