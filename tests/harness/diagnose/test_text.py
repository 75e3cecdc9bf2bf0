import msgspec

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
