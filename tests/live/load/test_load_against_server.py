"""stallscope-load against stallscope-server: both count the same requests."""

from collections.abc import Callable

import pytest

from tests.live.load.conftest import Run
from tests.live.server.server_process import stallscope_server


@pytest.mark.parametrize("stages", ["on", "off"])
def test_every_reply_belongs_to_its_request(load: Callable[..., Run], stages: str) -> None:
    with stallscope_server("--stages", stages, "--threads", "2") as server:
        run = load(
            f"127.0.0.1:{server.port}",
            *("--check", "--connections", 40, "--pipeline", 16, "--threads", 2),
        )
    assert run.status == 0
    assert run.done["checked"] == run.done["requests"] > 0
    assert run.done["errors"] == 0
    assert run.done["warnings"] == []


def test_an_open_loop_of_reads_and_writes(load: Callable[..., Run]) -> None:
    with stallscope_server("--path", "kv") as server:
        run = load(
            f"127.0.0.1:{server.port}",
            *("--mode", "open", "--rate", 2000, "--arrivals", "fixed", "--duration", 0.5),
            *("--fill", "--keys", 1000, "--value-bytes", "1-2000"),
            *("--key-distribution", "zipf", "--connections", 8),
        )
    assert run.status == 0
    assert run.done["requests"] == 1000
    assert (run.done["errors"], run.done["nil_replies"]) == (0, 0)
