"""The reference server as a child process: readiness, INFO, end."""

import signal
from pathlib import Path

import pytest

from harness.workload.options import ServerOptions
from harness.workload.server import process_cpu_s, running_server
from stallscope.errors import TargetError, UnableError, UsageError
from tests.harness.workload.fake_programs import READY, install


def test_a_ready_server_has_a_target_and_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "stallscope-server", READY + "time.sleep(60)", monkeypatch)
    with running_server(ServerOptions()) as server:
        assert server.target == "127.0.0.1:7400"
        assert [thread.cpu for thread in server.threads] == [1, None]
        assert process_cpu_s(server.pid) > 0
        server.check_alive()
    assert server.child.process.returncode == -signal.SIGTERM
    with pytest.raises(TargetError, match="ended"):
        process_cpu_s(server.pid)


@pytest.mark.parametrize(
    ("body", "error", "words"),
    [
        ("print('stallscope-server: error: port taken', file=sys.stderr); sys.exit(3)", UnableError, "port taken"),
        ("print('stallscope-server: fewer clients\\nstallscope-server: port taken', file=sys.stderr); sys.exit(3)", UnableError, "^stallscope-server: port taken$"),
        ("sys.exit(2)", UsageError, "status 2"),
        ("print('ready')", UnableError, "not JSON"),
    ],
)  # fmt: skip
def test_a_server_that_cannot_start_raises_a_single_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, error: type, words: str
) -> None:
    install(tmp_path, "stallscope-server", body, monkeypatch)
    with pytest.raises(error, match=words), running_server(ServerOptions()):
        pass
