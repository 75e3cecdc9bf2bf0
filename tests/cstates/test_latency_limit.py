"""The latency limit and its holders."""

import os
from collections.abc import Callable

import pytest

from cstates.latency_limit import (
    LimitHolder,
    cpu_latency_limit_us,
    effective_limit_us,
    read_global_limit,
)
from stallscope.system_files import Roots

Machines = Callable[[str], Roots]


def test_the_limit_and_its_holder(machine: Machines) -> None:
    limit = read_global_limit(machine("ice-lake-server"))
    assert limit.limit_us == 100
    assert limit.missing is None
    assert limit.holders == (LimitHolder(812, "tuned"),)
    assert limit.unseen_processes == 0


def test_without_a_request_there_is_no_limit(machine: Machines) -> None:
    limit = read_global_limit(machine("skylake-client"))
    assert (limit.limit_us, limit.missing, limit.holders) == (None, None, ())


@pytest.mark.parametrize(
    ("content", "message"), [(b"", "gave 0 bytes"), (b"ab", "gave 2 bytes"), (None, "No such file")]
)
def test_an_unreadable_limit_is_missing(
    machine: Machines, content: bytes | None, message: str
) -> None:
    roots = machine("skylake-client")
    device = roots.files / "dev/cpu_dma_latency"
    device.unlink()
    if content is not None:
        device.write_bytes(content)
    limit = read_global_limit(roots)
    assert limit.limit_us is None
    assert limit.missing is not None
    assert message in limit.missing


def test_hidden_processes_are_counted(machine: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    roots = machine("ice-lake-server")
    monkeypatch.setattr("cstates.latency_limit.os.open", refused)
    monkeypatch.setattr("pathlib.Path.iterdir", refused)
    monkeypatch.setattr("cstates.latency_limit.numbers_in", lambda *_: (812,))
    limit = read_global_limit(roots)
    assert limit.missing == "/dev/cpu_dma_latency can be read by root only"
    assert (limit.holders, limit.unseen_processes) == ((), 1)


def test_links_and_pipes_are_not_read(machine: Machines) -> None:
    roots = machine("skylake-client")
    device = roots.files / "dev/cpu_dma_latency"
    device.unlink()
    device.symlink_to("/etc/passwd")
    assert read_global_limit(roots).missing is not None
    device.unlink()
    os.mkfifo(device)
    assert read_global_limit(roots).missing is not None


def test_a_limit_of_zero_is_a_limit(machine: Machines) -> None:
    roots = machine("skylake-client")
    (roots.files / "dev/cpu_dma_latency").write_bytes(bytes(4))
    assert read_global_limit(roots).limit_us == 0


@pytest.mark.parametrize(
    ("text", "limit_us"),
    [("n/a", 0), ("0", None), ("20", 20), ("", None), ("-5", None), ("x", None)],
)
def test_a_cpus_own_limit(machine: Machines, text: str, limit_us: int | None) -> None:
    roots = machine("haltpoll-vm")
    path = roots.sys / "devices/system/cpu/cpu0/power/pm_qos_resume_latency_us"
    path.write_text(text + "\n")
    assert cpu_latency_limit_us(roots, 0) == limit_us
    path.unlink()
    assert cpu_latency_limit_us(roots, 0) is None


def test_the_least_limit_is_effective() -> None:
    assert effective_limit_us(None, None) is None
    assert effective_limit_us(100, None) == 100
    assert effective_limit_us(100, 0) == 0
