"""A run of `stallscope topdown` with known counts."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from harness.topdown.counting import CountingBackend
from harness.topdown.session import run_topdown
from stallscope.collector import CollectionEnd
from stallscope.errors import ExitCode, StallscopeError, TargetError, UnableError
from stallscope.system_files import Roots
from tests.harness.topdown.bench import OPTIONS, Bench
from tests.topdown.slots.counting.played import recorded
from tests.topdown.slots.counting.skylake import DEVICES
from topdown.slots.model import load


def test_a_measurement_as_a_document(bench: Bench) -> None:
    result = bench.document()
    assert (result["schema"], result["kind"], result["cpu"]) == (
        "stallscope.topdown/1",
        "measured",
        "skl",
    )
    assert result["verified"] is False
    assert result["ipc"]["value"] == pytest.approx(1.2)
    assert result["nodes"]["Retiring"]["value"] == pytest.approx(0.3)
    assert result["bottleneck"][:2] == ["Backend_Bound", "Memory_Bound"]
    assert {item.command for item in bench.counts.requests} == {("./work",)}


def test_a_measurement_as_text(bench: Bench) -> None:
    text = bench.text()
    assert "unverified on this CPU" in text
    assert "interval   multiplexing error only" in text
    assert "measured" in next(line for line in text.splitlines() if line.startswith("Retiring"))


def test_a_level_deeper_than_the_tree_prints_the_whole_tree_with_a_note(bench: Bench) -> None:
    bench.roots = Roots.recorded(
        recorded(
            bench.roots.proc.parent,
            "zen",
            {f"{DEVICES}/cpu/type": "4\n", f"{DEVICES}/cpu/events/cpu-cycles": "event=0x76\n"},
            "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nstepping\t: 1\n",
        )
    )
    bench.counts.totals = dict.fromkeys(load("zen4").events, 1e6)
    code = run_topdown(replace(OPTIONS, level=5), CountingBackend(bench.roots, bench.collect))
    output = bench.capsys.readouterr()
    assert code == ExitCode.DONE
    assert "-l 5: this CPU's tree has 2 levels; all are shown" in output.err
    assert max(node["level"] or 0 for node in json.loads(output.out)["nodes"].values()) == 2


@pytest.mark.parametrize("error", [TargetError("there is no process 5"), UnableError("no memory")])
def test_errors_of_the_collector_are_propagated(
    bench: Bench, tmp_path: Path, error: StallscopeError
) -> None:
    def refuse(*_: object) -> CollectionEnd:
        raise error

    with pytest.raises(type(error)):
        run_topdown(OPTIONS, CountingBackend(bench.roots, refuse))
