"""`harness.fleet.record.hosts`."""

from pathlib import Path

import pytest

from harness.fleet.record.hosts import Host, read_hosts
from stallscope.errors import UsageError


def test_hosts_have_users_ports_and_comments(tmp_path: Path) -> None:
    path = tmp_path / "hosts"
    path.write_text("# all\nweb-1\nroot@web-2:2222 # second\n\n[fe80::1]:22\n")
    assert read_hosts(path) == (
        Host("web-1"),
        Host("web-2", "root", 2222),
        Host("[fe80::1]", port=22),
    )
    assert [host.folder for host in read_hosts(path)] == ["web-1", "web-2-2222", "fe80__1-22"]


@pytest.mark.parametrize(
    "line", ["-oProxyCommand=x", "a;b", "a b", "$(x)", "../x", "a:99999", "a@-b", "é"]
)
def test_a_line_that_is_no_host_is_refused_with_its_number(tmp_path: Path, line: str) -> None:
    path = tmp_path / "hosts"
    path.write_text(f"web\n{line}\n")
    with pytest.raises(UsageError, match=r"hosts:2: "):
        read_hosts(path)


@pytest.mark.parametrize(("text", "message"), [("", "names no host"), ("a\na\n", "twice")])
def test_an_empty_file_and_a_host_named_twice_are_refused(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "hosts"
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        read_hosts(path)
