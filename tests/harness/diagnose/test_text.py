import msgspec

from harness.diagnose.result import FindingEvidence, HotFunction, MeasuredSource
from harness.diagnose.text import lines
from tests.harness.diagnose.diagnoses import BUSY, LOCKED, diagnosis
from tests.harness.waits.waits_results import HOSTILE


def test_a_finding_has_its_cost_evidence_place_and_remedy() -> None:
    text = "\n".join(lines(diagnosis(LOCKED), 100))
    assert "1. Threads wait for" in text
    assert "   costs      64.0 % of the wall time of working threads" in text
    assert "   where      thread hog" in text
    assert "   evidence   waits that end at hog: 960 ms (wait-for graph)" in text
    assert "recorder" not in text


def test_lines_fit_and_hostile_names_are_escaped() -> None:
    result = diagnosis(LOCKED)
    finding = msgspec.structs.replace(result.findings[0], sentence=f"{HOSTILE} waits.")
    hostile = msgspec.structs.replace(result, findings=(finding,), overhead_share=0.021)
    text = list(lines(hostile, 60))
    assert not any("\x1b" in line for line in text)
    assert "recorder      2.1 % of the target's CPU time" in text


def test_nothing_stands_out_is_a_result() -> None:
    assert next(lines(diagnosis(BUSY), 200)).startswith("Nothing stands out")


def test_hot_functions_have_their_line() -> None:
    functions = (
        HotFunction(name="walk", module="/bin/work", self_share=0.8, line="walk.c:7"),
        HotFunction(name="other", module="/bin/work", self_share=0.1),
    )
    text = list(lines(msgspec.structs.replace(diagnosis(BUSY), functions=functions), 100))
    assert "   80.0 %  walk  walk.c:7" in text
    assert "   10.0 %  other" in text


def test_a_number_has_its_unit_and_its_interval() -> None:
    finding = diagnosis(LOCKED).findings[0]
    rows = (
        FindingEvidence(name="a", value=0.5, unit="share", source="s", low=0.4, high=0.6),
        FindingEvidence(name="b", value=12_600, unit="us", source="s", low=12_600, high=12_600),
        FindingEvidence(name="c", value=1_250_000, unit="kHz", source="s"),
        FindingEvidence(name="d", value=62.9, unit="requests", source="s"),
    )
    changed = msgspec.structs.replace(finding, evidence=rows)
    result = msgspec.structs.replace(diagnosis(LOCKED), findings=(changed,))
    text = "\n".join(lines(result, 100))
    assert "a: 50.0 % [40.0 %, 60.0 %] (s)" in text
    assert "b: 12.6 ms (s)" in text
    assert "c: 1.25 GHz (s)" in text
    assert "d: 62.9 requests (s)" in text


def test_sources_are_listed_with_their_kind() -> None:
    sources = (
        MeasuredSource(name="idle states", kind="measured", detail="cpuidle counters"),
        MeasuredSource(name="pipeline slots", kind="modelled", detail="simulation"),
        MeasuredSource(name="frequency", kind="unavailable", detail="no cpufreq"),
    )
    text = list(lines(msgspec.structs.replace(diagnosis(BUSY), sources=sources), 200))
    expected = "Recorded: idle states (cpuidle counters); pipeline slots (modelled, simulation)"
    assert expected in text
