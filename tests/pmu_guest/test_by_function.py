"""Instructions and cycles by function, from hardware counters and a known program."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.pmu_guest.group_scenarios import GROUP_ROUNDS, PERIOD
from tests.pmu_guest.guest import Result
from tests.pmu_guest.scenarios import LOOP_CYCLES_A_ROUND

pytestmark = pytest.mark.pmu
Document = dict[str, Any]
ReportOf = Callable[[str], Document]
TRUE_SHARES = {"half": 0.5, "three_tenths": 0.3, "fifth": 0.2}


def by_name(document: Document) -> dict[str, Document]:
    return {row["name"]: row for row in document["counted"]["functions"]}


@pytest.mark.parametrize("name", ["pair", "long_visits", "led"])
def test_instructions_and_cycles_equal_those_of_the_program(report_of: ReportOf, name: str) -> None:
    result = by_name(report_of(name))
    whole = GROUP_ROUNDS * LOOP_CYCLES_A_ROUND
    for function, share in TRUE_SHARES.items():
        counts = result[function]["counts"]
        assert counts["instructions"] / whole == pytest.approx(share, abs=0.005), function
        assert counts["cycles"] / whole == pytest.approx(share, abs=0.005), function
    total = report_of(name)["counted"]["total"]["counts"]
    assert total["instructions"] == pytest.approx(whole, rel=0.005)


@pytest.mark.parametrize("name", ["pair", "long_visits", "led", "pair_of_process", "pair_of_cpus"])
def test_an_instruction_takes_a_cycle_in_every_function(report_of: ReportOf, name: str) -> None:
    result = by_name(report_of(name))
    for function in TRUE_SHARES:
        ipc = result[function]["ipc"]
        assert ipc["value"] == pytest.approx(1, abs=0.01), function
        assert ipc["interval"][0] <= ipc["value"] <= ipc["interval"][1]


def test_counts_during_a_stop_belong_to_no_function(
    report_of: ReportOf, guest: dict[str, Result]
) -> None:
    """Before Linux 6.16 throttling stops the sampled event, but not the other events of its group."""
    manifest = json.loads((guest["throttled"].run / "recording.json").read_text())
    assert manifest["losses"]["throttles"] > 4
    (instructions,) = manifest["group"]["counts"]
    assert manifest["counter"]["value"] < 0.97 * instructions
    report = report_of("throttled")
    for function in TRUE_SHARES:
        assert by_name(report)[function]["ipc"]["value"] == pytest.approx(1, abs=0.01), function
    assert report["counted"]["left_out"]["gap"] >= manifest["losses"]["throttles"] - 1
    assert any("throttled" in item["message"] for item in report["warnings"])


def test_other_recordings_are_not_throttled(guest: dict[str, Result]) -> None:
    """The guest's limit of samples per second does not fall with the duration of a sample."""
    recordings = [result.run / "recording.json" for result in guest.values()]
    throttled = {
        path.parent.parent.name
        for path in recordings
        if path.exists() and json.loads(path.read_text()).get("losses", {}).get("throttles")
    }
    assert throttled == {"throttled"}


def test_callers_include_their_callees(report_of: ReportOf) -> None:
    result = by_name(report_of("pair"))
    whole = report_of("pair")["counted"]["total"]["counts"]["instructions"]
    assert result["work"]["total_counts"]["instructions"] == pytest.approx(whole, rel=0.02)


def test_counts_add_up_to_the_counters(report_of: ReportOf, guest: dict[str, Result]) -> None:
    """All counts except those after the last sample are attributed to functions."""
    for name in ("pair", "long_visits"):
        manifest = json.loads((guest[name].run / "recording.json").read_text())
        (instructions,) = manifest["group"]["counts"]
        changes = report_of(name)["counted"]["total"]["counts"]["instructions"]
        assert 0 <= instructions - changes <= 2 * PERIOD
        assert report_of(name)["counted"]["gap_share"] == 0


def test_functions_shorter_than_the_period_are_marked(report_of: ReportOf) -> None:
    for function in TRUE_SHARES:
        assert by_name(report_of("pair"))[function]["same_share"] < 0.3
        assert by_name(report_of("long_visits"))[function]["same_share"] > 0.7
    assert any("blended" in text for text in report_of("pair")["counted"]["warnings"])


def test_a_kernel_without_inherited_groups_gives_a_warning(
    guest: dict[str, Result],
) -> None:
    """Debian 12's kernel is 6.1; inherited groups came with 6.13."""
    manifest = json.loads((guest["pair"].run / "recording.json").read_text())
    inherited = manifest["group"]["inherited"]
    warnings = [item for item in manifest["warnings"] if item["code"] == "group-not-inherited"]
    assert bool(warnings) != inherited
    cpus = json.loads((guest["pair_of_cpus"].run / "recording.json").read_text())
    assert not [item for item in cpus["warnings"] if item["code"] == "group-not-inherited"]


def test_a_group_that_does_not_fit_is_refused_by_name(guest: dict[str, Result]) -> None:
    result = guest["too_large"]
    assert result.status == 3
    assert "in one group" in result.stderr
    assert "EINVAL" in result.stderr
    assert not result.run.exists()
