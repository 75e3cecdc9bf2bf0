"""The whole self-test, with a collector that plays a made-up CPU's counts."""

import json
from dataclasses import replace
from pathlib import Path
from typing import IO

import pytest

from stallscope.collector import CollectionEnd, CountOptions
from stallscope.documents import decode, encode
from stallscope.errors import UnableError
from stallscope.system_files import Roots
from tests.topdown.slots.counting.played import PlayedCollector, recorded
from tests.topdown.slots.self_test.world import PROGRAMS, counts_of_kernel
from topdown.slots.counting.session import CountingRequest, measure
from topdown.slots.model import load
from topdown.slots.self_test import session
from topdown.slots.self_test.result import SelfTestResult
from topdown.slots.self_test.session import KERNELS, self_test
from topdown.slots.verification import verification_of

MACHINES = Path(__file__).parents[3] / "machines"
CPUINFO = "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 94\nstepping\t: 3\n"
DEAD = "UOPS_ISSUED.ANY"


def play(options: CountOptions, output: IO[str]) -> CollectionEnd:
    """A Skylake whose UOPS_ISSUED.ANY is dead."""
    kernel = options.command[1]
    counts = counts_of_kernel(load("skl"), kernel) | {DEAD: 0.0}
    iterations = int(PROGRAMS[kernel].iterations)
    json.dump(
        {
            "schema": "stallscope.kernels/1",
            "kernel": kernel,
            "expected": "somewhere",
            "iterations": iterations,
            "cpu_ns": int(counts["CPU_CLK_UNHALTED.THREAD"] / 3),
        },
        output,
    )
    return PlayedCollector(counts, counters=4)(options)


@pytest.fixture
def skylake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Roots:
    monkeypatch.setattr(session, "program", Path)
    files = {"sys/bus/event_source/devices/cpu/type": "4\n"}
    return Roots.recorded(recorded(tmp_path, "machine", files, CPUINFO))


def test_a_dead_event_is_found_and_written_for_sending_in(tmp_path: Path, skylake: Roots) -> None:
    ran: list[str] = []
    test = self_test(roots=skylake, count=play, on_kernel=ran.append)
    assert tuple(ran) == KERNELS
    assert [name for name, event in test.events.items() if event.verdict == "broken"] == [DEAD]
    assert test.verdicts["broken"] == 1
    path = tmp_path / "skl.json"
    path.write_text(encode(test))
    assert decode(path.read_bytes(), SelfTestResult, "self-test") == test
    document = json.loads(path.read_text())
    assert document["schema"] == "stallscope.self-test/1"
    assert document["events"][DEAD]["verdict"] == "broken"
    assert document["events"]["CPU_CLK_UNHALTED.THREAD"]["verdict"] == "works"
    assert {kernel["kernel"] for kernel in document["kernels"]} == set(KERNELS)
    assert "hostname" not in path.read_text()
    # A file of a CPU makes its slots verified, and what it found broken is not counted.
    result = verification_of("skl", tmp_path)
    assert result.verified
    assert "counts 0 in independent-adds" in result.broken[DEAD]


def test_nodes_of_a_broken_event_have_no_value(
    tmp_path: Path, skylake: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = self_test(roots=skylake, count=play)
    (tmp_path / "skl.json").write_text(encode(result))
    for module in ("session", "analysis"):
        monkeypatch.setattr(
            f"topdown.slots.counting.{module}.verification_of",
            lambda key: verification_of(key, tmp_path),
        )
    counts = counts_of_kernel(load("skl"), "dependent-chain")
    options = CountOptions(output=tmp_path / "out", plan=Path(), command=("./work",))
    request = CountingRequest(options, level=1)
    results_found = measure(request, PlayedCollector(counts), skylake).measurement
    assert results_found.verified
    bad = next(node for node in results_found.nodes if node.name == "Bad_Speculation")
    assert bad.value is None
    assert "is broken on this CPU" in bad.warnings[0]
    assert next(n for n in results_found.nodes if n.name == "Frontend_Bound").value is not None


def test_without_counters_or_a_model_there_is_no_self_test(tmp_path: Path) -> None:
    with pytest.raises(UnableError, match="no hardware counters") as error:
        self_test(roots=Roots.recorded(MACHINES / "vm-without-pmu"), count=play)
    assert error.value.remedy
    files = {"sys/bus/event_source/devices/cpu/type": "4\n"}
    unknown = recorded(tmp_path, "new", files, CPUINFO.replace("94", "250"))
    with pytest.raises(UnableError, match="no model of this machine's CPU"):
        self_test(roots=Roots.recorded(unknown), count=play)


def test_every_event_of_a_model_is_planned_once(skylake: Roots) -> None:
    model = load("skl")
    subject = session.Subject(model)
    plan = session.whole_plan(subject)
    assert set(model.events) <= {*plan.events, *plan.uncountable}
    assert replace(plan).events.keys() == {
        name for event_set in plan.sets for name in event_set.events
    }
