"""`harness.fleet.record.remote`, `harness.fleet.record.session`, `harness.fleet.record.text`."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from harness.fleet.query import QueryOptions
from harness.fleet.record.hosts import Host
from harness.fleet.record.options import FleetRecordOptions
from harness.fleet.record.remote import collector_file, ssh_command
from harness.fleet.record.session import record_fleet
from harness.fleet.top.session import fleet_top
from stallscope import __version__
from stallscope.errors import UsageError
from stallscope.programs import program
from tests.harness.fleet.loopback_ssh import has_sshd, loopback_ssh, network_namespace

needs_sshd = pytest.mark.skipif(not has_sshd(), reason="needs root: and the program sshd")
SHORT = ("--duration", "0.1", "-F", "99", "--python", "off", "--", "sleep", "0.05")
COMMAND = ("--python", "off", "--", "sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done")


class Ssh:
    """An sshd, and the temporary directory that its sessions use."""

    def __init__(self, port: int, config: Path, temporary: Path) -> None:
        self.port, self.config, self.temporary = port, config, temporary

    def options(self, output: Path, *hosts: Host, **changes: object) -> FleetRecordOptions:
        values: dict[str, object] = {
            "collector_options": COMMAND,
            "ssh_config": self.config,
            "timeout_s": 30.0,
            **changes,
        }
        return FleetRecordOptions(hosts=hosts, output=output, **values)  # type: ignore[arg-type]

    @property
    def host(self) -> Host:
        return Host("127.0.0.1", port=self.port)


@pytest.fixture(scope="module")
def ssh() -> Iterator[Ssh]:
    with tempfile.TemporaryDirectory(prefix="fleet-") as name:
        folder = Path(name)
        (folder / "tmp").mkdir()
        with loopback_ssh(folder, {"TMPDIR": str(folder / "tmp")}) as port:
            yield Ssh(port, folder / "config", folder / "tmp")


@needs_sshd
@pytest.mark.live
def test_a_recording_is_fetched_kept_and_nothing_stays_on_the_host(
    ssh: Ssh, tmp_path: Path
) -> None:
    refuses = Host("127.0.0.1", port=_unused_port())
    options = ssh.options(tmp_path / "out", ssh.host, refuses)
    result, code = record_fleet(options)
    good, bad = result.hosts
    assert (good.status, bad.status, code) == ("recorded", "failed", 4), result
    assert good.samples
    assert "refused" in bad.error
    assert list(ssh.temporary.iterdir()) == []
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [ssh.host.folder]
    again, _ = record_fleet(options)
    assert [host.status for host in again.hosts] == ["kept", "failed"]


@needs_sshd
@pytest.mark.live
def test_network_namespaces_are_hosts_of_one_fleet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra fleet: pyarrow")
    if shutil.which("ip") is None:
        pytest.skip("needs the program ip: of iproute2")
    with ExitStack() as stack:
        hosts = []
        for number in range(2):
            name, network = f"s{os.getpid()}-{number}", f"198.{18 + number}.{os.getpid() % 256}"
            try:
                address = stack.enter_context(network_namespace(name, network))
            except subprocess.CalledProcessError:
                pytest.skip("needs the kernel's network namespaces and veth")
            keys = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fleet-")))
            port = stack.enter_context(loopback_ssh(keys, address=address, namespace=name))
            hosts.append((Host(address, port=port), keys))
        config = tmp_path / "config"
        config.write_text("".join(_of_host(host, keys) for host, keys in hosts))
        options = Ssh(port, config, tmp_path).options(
            tmp_path / "out", *(host for host, _ in hosts)
        )
        result, code = record_fleet(options)
    assert (code, [host.status for host in result.hosts]) == (0, ["recorded", "recorded"]), result
    answer = fleet_top(QueryOptions((tmp_path / "out",)))
    assert answer.hosts == 2
    assert answer.samples == sum(host.samples or 0 for host in result.hosts)


@needs_sshd
@pytest.mark.live
def test_a_host_over_its_time_limit_fails_and_its_collector_ends(ssh: Ssh, tmp_path: Path) -> None:
    endless = ("--python", "off", "--", "sleep", "97.25")
    options = ssh.options(tmp_path / "out", ssh.host, collector_options=endless, timeout_s=1.0)
    result, code = record_fleet(options)
    assert code == 4
    assert "within 1 s" in result.hosts[0].error
    for _ in range(200):
        if not list(ssh.temporary.iterdir()):
            break
        subprocess.run(["sleep", "0.05"], check=True)
    assert list(ssh.temporary.iterdir()) == []


@needs_sshd
@pytest.mark.live
def test_a_host_with_a_full_disk_fails_with_the_reason(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(small)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("needs root: to mount a tmpfs")
    keys = tmp_path / "keys"
    keys.mkdir()
    try:
        with loopback_ssh(keys, {"TMPDIR": str(small)}) as port:
            full = Ssh(port, keys / "config", small)
            result, code = record_fleet(full.options(tmp_path / "out", full.host))
            assert code == 4
            assert "disk full" in result.hosts[0].error
            assert list(small.iterdir()) == []
    finally:
        subprocess.run(["umount", str(small)], check=True)


@needs_sshd
@pytest.mark.live
def test_a_collector_of_another_version_is_refused(ssh: Ssh, tmp_path: Path) -> None:
    content = program("stallscope-collect").read_bytes()
    other = tmp_path / "collect"
    version = __version__.encode() + b"\0"
    assert version in content
    other.write_bytes(content.replace(version, b"0.0.9\0"))
    result, code = record_fleet(ssh.options(tmp_path / "out", ssh.host, collector=other))
    assert code == 4
    assert "version 0.0.9, expected" in result.hosts[0].error


@needs_sshd
@pytest.mark.live
def test_options_reach_the_collector_as_they_are(ssh: Ssh, tmp_path: Path) -> None:
    mark = tmp_path / "injected"
    hostile = ("--event", f"x'; touch {mark}; $(touch {mark}) `touch {mark}`", "--", "true")
    result, code = record_fleet(ssh.options(tmp_path / "out", ssh.host, collector_options=hostile))
    assert code == 4
    assert not mark.exists()
    assert "no recording" in result.hosts[0].error


def test_the_host_is_no_option_of_ssh_and_the_script_is_quoted(tmp_path: Path) -> None:
    collector = collector_file(program("stallscope-collect"))
    options = FleetRecordOptions(
        hosts=(Host("h", "u", 22),), output=tmp_path, collector_options=("--event", "a b")
    )
    words = ssh_command(options.hosts[0], options, collector)
    assert words[-3:-1] == ["--", "h"]
    assert words[-1].endswith("--event 'a b'")


def test_a_file_that_is_no_collector_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("#!/bin/sh\n")
    with pytest.raises(UsageError, match="not a collector"):
        collector_file(tmp_path / "x")


def _of_host(host: Host, keys: Path) -> str:
    """Return the configuration of ssh for one host."""
    return (keys / "config").read_text().replace("Host *", f"Host {host.name}")


def _unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
