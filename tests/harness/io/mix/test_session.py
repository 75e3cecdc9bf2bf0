"""Runs of `stallscope io mix` on simulated disks, whose results are exact."""

import json
from pathlib import Path

import pytest

from harness.cli.command_line import main
from stallscope.errors import ExitCode

DISK = "sim:servers=6,service=1ms"


def test_cells_within_the_capacity_are_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "mix"
    options = ["--duration", "0.1", "--warmup", "0.05", "--sizes", "4K"]
    assert main(["io", "mix", DISK, *options, "-o", str(folder), "--json"]) == ExitCode.DONE
    document = json.loads(capsys.readouterr().out)
    assert document["max_reads_per_s"] == pytest.approx(6000, rel=0.03)
    for cell in document["cells"]:
        load = cell["of_max_reads"] + cell["of_max_writes"]
        if load <= 0.85:
            assert cell["outcome"] == "kept"
            assert cell["bytes_per_s"] == pytest.approx(4096 * 6000 * load, rel=0.05)
        elif load >= 1.1:
            assert cell["outcome"] in ("missed", "not tried")
            assert cell["bytes_per_s"] is None
    assert {"mix.json", "report.html", "recording.json"} == {path.name for path in folder.iterdir()}
    assert main(["report", str(folder)]) == ExitCode.DONE
    assert "p99 of reads: reads/s across, writes/s down" in capsys.readouterr().out
    assert 'id="mix"' in (folder / "report.html").read_text()
