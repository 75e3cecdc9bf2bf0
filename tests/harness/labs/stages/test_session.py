"""The stages lab's plan, verdict, table, document and page, of results that are known."""

import json
import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from harness.labs.stages.conclusion import conclude
from harness.labs.stages.document import lab_document
from harness.labs.stages.notes import notes
from harness.labs.stages.options import open_loads
from harness.labs.stages.page import render_stages_page
from harness.labs.stages.page_files import stages_page
from harness.labs.stages.plan import OPEN_LOADS, SATURATED, Load, Side, turns
from harness.labs.stages.profiles import first_level
from harness.labs.stages.results import Replays, SlotsFound, StagesResults
from harness.labs.stages.text import lines
from harness.labs.verdict import PairConclusion
from harness.workload.cores import two_cores
from stallscope.errors import UnableError, UsageError
from stallscope.system_files import Roots
from tests.harness.labs.stages.results import SETTINGS, results
from tests.harness.topdown.measurements import COUNTED


def test_every_pair_has_both_sides_and_the_order_alternates() -> None:
    planned = list(turns(4, (SATURATED, *OPEN_LOADS)))
    assert set(Counter((turn.load, turn.side) for turn in planned).values()) == {4}
    firsts = [turn.side for turn in planned[::2]]
    assert firsts[:4] == [Side.UNSTAGED, Side.STAGED] * 2
    assert firsts[4:8] == [Side.STAGED, Side.UNSTAGED] * 2
    for one, other in list(pairwise(planned))[::2]:
        assert (one.pair, one.load) == (other.pair, other.load)
        assert one.side is not other.side


def test_the_document_is_what_scripts_rely_on(tmp_path: Path) -> None:
    document = json.loads(json.dumps(lab_document(results(tmp_path)), allow_nan=False))
    assert document["schema"] == "stallscope.lab.stages/1"
    assert (document["path"], document["pairs"]) == ("codec", 5)
    assert document["throughput_ratio"] == {"median": 1.5, "low": 1.4, "high": 1.7, "n": 5}
    assert document["p99_ratio"]["median"] == pytest.approx(1 / 1.5)
    assert document["cpu_per_request_ratio"]["high"] == pytest.approx(1 / 1.4)
    assert document["icache_miss_ratio"] == {"unstaged": 0.116, "staged": 0.0036}
    assert document["instructions_per_request_ratio"] == pytest.approx(1.002)
    assert document["average_batch"] == 16
    assert document["verdict"] == "gain"
    assert document["slots"] is None
    assert document["slots_unavailable"] == "this machine has no hardware counters"
    assert len(document["rounds"]) == 40
    assert [load["load"] for load in document["loads"]] == [
        "saturated", "open30", "open60", "open90",
    ]  # fmt: skip


def test_what_is_missing_is_null_with_its_reason(tmp_path: Path) -> None:
    found = replace(results(tmp_path), readings=(), replays=Replays(None, None, "", "no valgrind"))
    document = lab_document(found)
    assert document["throughput_ratio"] == {"median": None, "low": None, "high": None, "n": 0}
    assert document["icache_miss_ratio"] == {"unstaged": None, "staged": None}
    assert document["instructions_per_request_ratio"] is None
    assert document["simulation"] == {
        "kind": "unavailable", "model": None, "why_not": "no valgrind",
    }  # fmt: skip
    assert document["verdict"] == "no verdict"
    assert any("no valgrind" in note for note in notes(found))


@pytest.mark.parametrize(
    ("gains", "expected"),
    [
        ((1.0, 1.01, 0.99, 1.0, 1.0), PairConclusion.NO_GAIN),
        ((1.0, 1.5, 0.8, 1.0, 1.0), PairConclusion.REFUSED),
        ((0.8,) * 5, PairConclusion.LOSS),
        ((2.0,) * 4, PairConclusion.REFUSED),
    ],
)
def test_the_verdict_follows_the_pairs(
    tmp_path: Path, gains: tuple[float, ...], expected: PairConclusion
) -> None:
    assert conclude(results(tmp_path, gains=gains)).conclusion is expected


def test_a_loader_at_its_limit_leaves_cpu_to_judge_by(tmp_path: Path) -> None:
    found = results(tmp_path, limited_by="its core is full")
    verdict = conclude(found)
    assert verdict.conclusion is PairConclusion.GAIN
    assert verdict.reason.startswith("requests per CPU second 1.500")
    assert "its core is full" in verdict.reason
    no_cpu = replace(found, readings=tuple(replace(r, cpu_us=None) for r in found.readings))
    assert conclude(no_cpu).conclusion is PairConclusion.REFUSED


def test_answers_that_are_errors_give_no_verdict(tmp_path: Path) -> None:
    found = results(tmp_path)
    wrong = (replace(found.readings[0], errors=3), *found.readings[1:])
    verdict = conclude(replace(found, readings=wrong))
    assert verdict.conclusion is PairConclusion.REFUSED
    assert "3 requests" in verdict.reason


def test_an_incomplete_pair_is_left_out(tmp_path: Path) -> None:
    found = results(tmp_path)
    cut = replace(found, readings=found.readings[:-1], interrupted=True)
    assert cut.complete_pairs(Load(0.9)) == 4
    assert cut.complete_pairs(SATURATED) == 5
    assert notes(cut)[0].startswith("Interrupted")


def test_loads_that_were_not_reached_are_not_shown(tmp_path: Path) -> None:
    found = results(tmp_path)
    reached = tuple(each for each in found.readings if each.turn.load == SATURATED)
    cut = replace(found, readings=reached, interrupted=True)
    text = "\n".join(lines(cut, 100))
    assert "saturated" in text
    assert "open loop at" not in text


def test_a_rate_that_was_not_reached_is_told(tmp_path: Path) -> None:
    found = results(tmp_path)
    slow = tuple(
        replace(each, throughput=each.throughput / 2) if each.turn.load == Load(0.9) else each
        for each in found.readings
    )
    assert any(
        "10 of 10 runs did not reach" in note for note in notes(replace(found, readings=slow))
    )


def test_the_table_names_every_load_and_the_verdict(tmp_path: Path) -> None:
    text = "\n".join(lines(results(tmp_path), 100))
    for wanted in ("saturated", "open loop at 30 %", "1.500 (1.400 to 1.700) n=5",
                   "simulated (modelled)", "11.6 % of fetches", "synthetic", "verdict: gain",
                   "Slots and IPC: unavailable"):  # fmt: skip
        assert wanted in text


def test_counted_slots_stand_in_table_document_and_page(tmp_path: Path) -> None:
    modest = replace(COUNTED, nodes=tuple(replace(n, value=None) for n in COUNTED.nodes), ipc=None)
    sides = {Side.UNSTAGED: first_level(COUNTED), Side.STAGED: first_level(modest)}
    found = replace(results(tmp_path), slots=SlotsFound(sides))
    text = "\n".join(lines(found, 100))
    assert re.search(r"IPC +0\.79 +n/a", text)
    assert re.search(r"Frontend_Bound +12\.8 % +n/a", text)
    assert "Fetch_Latency" not in text
    slots = lab_document(found)["slots"]
    assert isinstance(slots, dict)
    assert slots["unstaged"]["Retiring"] == 0.2
    assert slots["staged"]["IPC"] is None
    with_logs(found)
    assert "12.8 %" in render_stages_page(stages_page(found))


def with_logs(found: StagesResults) -> None:
    for each in found.readings:
        each.folder.mkdir()
        (each.folder / "intended.hlog").write_text("")


def test_what_it_ran_under_stands_in_notes_document_and_page(tmp_path: Path) -> None:
    plain = results(tmp_path)
    assert lab_document(plain)["settings"] is None
    found = replace(plain, settings=SETTINGS)
    with_logs(found)
    assert "Less repeatable: C6 open (170 us), entered 9 times." in notes(found)
    document = json.loads(json.dumps(lab_document(found), allow_nan=False))
    assert document["settings"]["states"][1]["entries"] == 9
    page = render_stages_page(stages_page(found))
    assert "C1 40 entries, C6 9 entries; governor menu; latency limit unknown" in page
    assert "no cpufreq" in page


def test_the_page_is_whole_and_escapes(tmp_path: Path) -> None:
    found = results(tmp_path)
    with_logs(found)
    page = render_stages_page(stages_page(found))
    assert "Verdict: gain" in page
    assert "Model &lt;b&gt;X" in page
    assert "<b>X" not in page
    assert "its own page" not in page
    assert "refused" in page  # why there are no flame graphs
    assert page.count('class="number better"') > 4


@pytest.mark.parametrize(
    ("text", "shares"), [("30,60,90", [0.3, 0.6, 0.9]), ("", []), ("90, 30,30", [0.3, 0.9])]
)
def test_loads_are_read(text: str, shares: list[float]) -> None:
    assert [load.share for load in open_loads(text)] == shares


@pytest.mark.parametrize("text", ["0", "x", "30;60", "-5", "1000", ",", "²"])
def test_loads_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--loads"):
        open_loads(text)


def test_one_cpu_is_not_enough() -> None:
    with pytest.raises(UnableError, match="one CPU each"):
        two_cores(Roots(), frozenset({0}))
