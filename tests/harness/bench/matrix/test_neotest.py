"""The example of servers, clients and data sets runs as a whole, shortened."""

import json
from pathlib import Path

import pytest

from harness.cli.command_line import main
from stallscope.errors import ExitCode

EXAMPLE = Path(__file__).parents[4] / "examples/neotest/bench.toml"
SERVERS = ("kv", "disk", "disk(!sum)", "sqlite")


@pytest.mark.live
def test_the_example_measures_every_server_and_leaves_nothing_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    folder = tmp_path / "out"
    before = sorted(EXAMPLE.parent.iterdir())
    only = [
        f"Prod1-1024/{server}-{client}" for server in SERVERS for client in ("zhash.py", "zwrk·2")
    ]
    words = [word for name in (*only, "Crc32/py/4K") for word in ("--only", name)]
    status = main(["bench", "run", "--file", str(EXAMPLE), "--quick", *words, "-o", str(folder)])
    shown, errors = capsys.readouterr()
    assert status == ExitCode.DONE, errors
    assert "cluster:loopback dataset:prod1-1024\nkv-zhash.py " in shown
    commands = json.loads((folder / "bench.json").read_text())["commands"]
    assert [len(command["operation_ns"]) for command in commands] == [1] * 9
    page = (folder / "report.html").read_text()
    assert page.index("cluster:loopback dataset:prod1-1024") < page.index("node:")
    text = (folder / "bench.txt").read_text()
    assert "dataset: prod1-1024\nBenchmarkDisk(!sum)-zwrk·2" in text
    assert sorted(EXAMPLE.parent.iterdir()) == before
    assert list(scratch.iterdir()) == []
