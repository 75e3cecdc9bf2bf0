"""`bench scale --network`."""

import json
from pathlib import Path

import pytest

from harness.bench.scale.network_session import run_network
from stallscope.errors import UsageError
from tests.documents import assert_valid

TEXT = """
customers = 200
think_time_s = 2
centre = [{name = "cpu", demand_s = 1, servers = 32}, {name = "disk", demand_s = 0.01}]
what_if = [{name = "64 CPUs", centre = "cpu", servers = 64}]
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "n.toml"
    path.write_text(TEXT)
    return path


def test_many_servers_are_solved(path, capsys) -> None:
    run_network(path, (), as_json=True)
    text = capsys.readouterr().out
    assert_valid("bench.network", text)
    first, second = json.loads(text)["cases"]
    assert first["throughput"] == pytest.approx(32.0, abs=1e-4)
    assert second["throughput"] > 60


def test_text_and_files_show_all_cases(path, tmp_path, capsys) -> None:
    outputs = tuple(tmp_path / name for name in ("o.csv", "o.svg", "o.json"))
    run_network(path, outputs, as_json=False)
    text = capsys.readouterr().out
    for word in ("64 CPUs", "Bottleneck", "cpu", "modelled"):
        assert word in text
    assert '"64 CPUs",200,' in outputs[0].read_text()
    assert b"64 CPUs" in outputs[1].read_bytes()


def test_a_page_is_refused(path) -> None:
    with pytest.raises(UsageError, match="a network has no page"):
        run_network(path, (Path("o.html"),), as_json=True)
