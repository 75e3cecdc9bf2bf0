"""The image's list of parts has what dpkg installed in its root."""

import json
from pathlib import Path

import pytest

from tools.packages.archives import tar_of
from tools.packages.image_bill import build_image_bill
from tools.packages.source import PackageError, Source

SOURCE = Source(Path("/nowhere"), "1.2.3", 1_700_000_000)
STATUS = """Package: libc6
Status: install ok installed
Architecture: amd64
Version: 2.36-9+deb12u1
Description: GNU C Library
 Shared libraries

Package: removed
Status: deinstall ok config-files
Architecture: all
Version: 1.0
"""


def test_installed_packages_are_parts_with_versions(tmp_path: Path) -> None:
    root = tar_of([("var/lib/dpkg/status", STATUS.encode(), 0o644)], SOURCE.epoch_s)
    text = build_image_bill(SOURCE, root, tmp_path / "x.json").read_text()
    assert build_image_bill(SOURCE, root, tmp_path / "y.json").read_text() == text
    (part,) = json.loads(text)["components"]
    assert (part["name"], part["version"]) == ("libc6", "2.36-9+deb12u1")
    assert part["purl"] == "pkg:deb/debian/libc6@2.36-9%2Bdeb12u1?arch=amd64"


def test_a_root_without_the_list_is_an_error(tmp_path: Path) -> None:
    root = tar_of([("etc/hosts", b"", 0o644)], SOURCE.epoch_s)
    with pytest.raises(PackageError, match="no var/lib/dpkg/status"):
        build_image_bill(SOURCE, root, tmp_path / "x.json")
