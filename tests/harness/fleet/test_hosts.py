"""The file of hosts."""

from pathlib import Path

import pytest

from harness.fleet.hosts import Host, read_hosts
from stallscope.errors import UsageError


def test_destinations_with_and_without_names(tmp_path: Path) -> None:
    file = tmp_path / "hosts"
    file.write_text("# all\ndb1=admin@db1.example.net\n\nroot@[::1]  # loopback\nweb-2\n")
    assert read_hosts(file) == (
        Host("db1", "admin@db1.example.net"),
        Host("root____1_", "root@[::1]"),
        Host("web-2", "web-2"),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a=-oProxyCommand=evil\n", "hosts:1: .* is not a destination"),
        ("x\n../up=host\n", "hosts:2: .* is not a name"),
        ("a;rm -rf /\n", "is not a destination"),
        ("a=$(id)\n", "is not a destination"),
        ("a=x\na=y\n", "hosts:2: the name a is used twice"),
        ("# nothing\n", "has no host"),
    ],
)
def test_wrong_lines_are_named(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "hosts"
    file.write_text(text)
    with pytest.raises(UsageError, match=message):
        read_hosts(file)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        read_hosts(tmp_path / "none")
