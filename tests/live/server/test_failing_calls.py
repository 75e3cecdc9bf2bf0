"""System calls of the server fail, one at a time: it reports the cause and loses nothing that it acknowledged."""

import contextlib
import json
import select
import shutil
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.fault_injection import Fault, calls_in, faults_of, need_strace, recorder, was_injected
from tests.live.server.raw_client import RawClient
from tests.live.server.server_process import server_program, stallscope_server
from tests.long_tests import long_tests

pytestmark = [
    pytest.mark.live,
    pytest.mark.long,
    pytest.mark.timeout(long_tests(short=300, long=7200)),
]
HANG_S = 20.0  # generous: strace slows the server down
VALUE = b"v" * 5000


@dataclass(slots=True)
class Run:
    """What a run of the server did."""

    acknowledged: dict[str, bytes] = field(default_factory=dict)
    ready: bool = False
    status: int = 0
    errors: str = ""


def options(folder: Path) -> tuple[str, ...]:
    return (
        *("--port", "0", "--metrics-port", "0", "--path", "disk", "--data", str(folder)),
        *("--segment-bytes", "1M", "--sync", "each-batch"),
    )


def run(folder: Path, prefix: tuple[str, ...]) -> Run:
    """Start the server, use every part of it, and end it. Fails if it hangs."""
    made = Run()
    process = subprocess.Popen(
        [*prefix, server_program(), *options(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        readable, _, _ = select.select([process.stdout], [], [], HANG_S)
        assert readable, "neither ready nor ended"
        line = process.stdout.readline()
        if line:
            made.ready = True
            use(made, json.loads(line))
            process.send_signal(signal.SIGTERM)
        _, made.errors = process.communicate(timeout=HANG_S)
        made.status = process.returncode
    finally:
        process.kill()
        process.communicate()
    return made


def use(made: Run, ready: dict[str, int]) -> None:
    for number in range(3):
        with contextlib.suppress(ConnectionError), RawClient(ready["port"]) as client:
            client.socket.settimeout(HANG_S)
            for key in (f"a{number}", f"b{number}"):
                if client.ask("SET", key, VALUE) == b"+OK\r\n":
                    made.acknowledged[key] = VALUE
            client.ask("MGET", "a0", f"a{number}")
            if number == 1:
                client.ask("COMPACT")
    with contextlib.suppress(ConnectionError):
        scrape(ready["metrics_port"])


def scrape(port: int) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=HANG_S) as metrics:
        metrics.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
        return b"".join(iter(lambda: metrics.recv(1 << 16), b""))


def check(made: Run, folder: Path) -> None:
    """Assert that the run reported what failed, and that the next server has all values."""
    assert made.status in (0, 2, 3, 6), made
    if made.status != 0:
        assert made.errors.startswith("stallscope-server: "), made
    assert made.ready or made.status != 0, made
    with stallscope_server(*options(folder)[2:]) as server, RawClient(server.port) as client:
        for key, value in made.acknowledged.items():
            assert client.ask("GET", key) == b"$%d\r\n%b\r\n" % (len(value), value), (key, made)


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> list[Fault]:
    need_strace()
    folder = tmp_path_factory.mktemp("recorded")
    made = run(folder / "data", recorder(folder / "log"))
    assert made.status == 0, made
    assert len(made.acknowledged) == 6
    return faults_of(calls_in(folder / "log"))


def test_a_failing_call_ends_no_server_silently_and_loses_no_value(
    faults: list[Fault], tmp_path: Path
) -> None:
    reached = 0
    failures = []
    started = time.monotonic()
    # A failing write() to an eventfd must not lose a wake-up.
    wake_ups = [
        fault for fault in faults if fault.system_call == "write" and fault.error == "EINTR"
    ]
    chosen = [*wake_ups, *faults[: long_tests(short=10, long=len(faults))]]
    for number, fault in enumerate(chosen):
        folder, log = tmp_path / f"data-{number}", tmp_path / "log"
        try:
            check(run(folder, fault.prefix(log)), folder)
        except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
            failures.append(f"{fault}: {error}")
        reached += was_injected(log)
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{reached} of {len(chosen)} faults reached in {time.monotonic() - started:.0f} s")
    assert not failures, "\n".join(failures)
    assert reached > len(chosen) / 2


@pytest.mark.parametrize("system_call", ["socket", "listen", "epoll_ctl"])
def test_a_limit_of_the_kernel_is_no_full_disk(tmp_path: Path, system_call: str) -> None:
    need_strace()
    made = run(tmp_path / "data", Fault(system_call, "ENOSPC", 1).prefix(tmp_path / "log"))
    assert was_injected(tmp_path / "log")
    assert made.status == 3, made
    assert "No space left on device" in made.errors
    assert "free some space" not in made.errors
    assert "the kernel's limit" in made.errors
