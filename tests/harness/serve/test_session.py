"""`stallscope serve`: the ready document, the end by Ctrl-C, a server that dies."""

import json
import os
from pathlib import Path

import pytest

from harness.serve.session import serve
from harness.workload.options import ServerOptions
from stallscope.errors import TargetError
from tests.harness.workload.fake_programs import READY, install


def test_a_server_that_dies_while_serving_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    warning = "print('stallscope-server: fewer clients', file=sys.stderr, flush=True)\n"
    end = "sys.exit('out of luck')"
    install(tmp_path, "stallscope-server", warning + READY + end, monkeypatch)
    with pytest.raises(TargetError, match="status 1 during the measurement: out of luck"):
        serve(ServerOptions(), as_json=True)
    printed = capsys.readouterr()
    assert "stallscope-server: fewer clients\n" in printed.err
    document = json.loads(printed.out)
    assert document["schema"] == "stallscope.serve/1"
    assert document["threads"] == [{"tid": 7, "cpu": 1}, {"tid": 8, "cpu": None}]


def test_ctrl_c_ends_the_server_with_exit_code_0(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stand-in sends SIGINT after the first INFO, when the command is serving."""
    body = f"""
import socket
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
listener = socket.create_server(("127.0.0.1", 0))
ready = {{"event": "ready", "pid": os.getpid(), "port": listener.getsockname()[1], "threads": []}}
print(json.dumps(ready), flush=True)
listener.accept()[0].close()
os.kill({os.getpid()}, signal.SIGINT)
time.sleep(60)
"""
    install(tmp_path, "stallscope-server", body, monkeypatch)
    assert serve(ServerOptions(), as_json=False) == 0
