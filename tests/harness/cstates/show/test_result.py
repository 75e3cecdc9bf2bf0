"""The document of `cstates show` on generated machines."""

import pytest

from harness.cstates.show.result import ShowResult
from stallscope.documents import decode, encode
from tests.cstates.machine_trees import names
from tests.harness.cstates.show.results import Machines, of_command, result_of, text_of


def test_the_document_has_the_documented_fields(
    machine: Machines, capsys: pytest.CaptureFixture[str]
) -> None:
    document = of_command(capsys, machine("ice-lake-server"), "--cpus", "1")
    assert document["schema"] == "stallscope.cstates.show/1"
    assert (document["driver"], document["governor"]) == ("intel_idle", "menu")
    (cpu,) = document["cpus"]
    assert cpu["cpu"] == 1
    c6 = cpu["states"][3]
    assert {
        key: c6[key]
        for key in (
            "name",
            "exit_latency_us",
            "target_residency_us",
            "disabled",
            "usage",
            "time_us",
            "above",
            "below",
        )
    } == {
        "name": "C6",
        "exit_latency_us": 170,
        "target_residency_us": 600,
        "disabled": False,
        "usage": 400_010,
        "time_us": 400_010 * 9000,
        "above": 100_002,
        "below": 40_001,
    }
    assert c6["closed_by"] == "latency-limit"
    assert c6["over_interval"] is None
    assert document["latency_limit"]["holders"] == [{"pid": 812, "name": "tuned"}]
    assert document["frequency"]["policies"][0]["driver"] == "intel_cpufreq"


def test_missing_values_are_null_with_a_reason(
    machine: Machines, capsys: pytest.CaptureFixture[str]
) -> None:
    document = of_command(capsys, machine("no-cpuidle"))
    assert document["driver"] is None
    assert "idle=poll" in document["missing"]
    assert document["cpus"][0]["states"] == []
    assert "idle=poll" in document["cpus"][0]["missing"]
    assert document["frequency"]["turbo"] is None
    assert document["frequency"]["missing"]
    roots = machine("haltpoll-vm")
    (roots.sys / "devices/system/cpu/cpu0/cpuidle/state1/above").unlink()
    halt = of_command(capsys, roots)["cpus"][0]["states"][1]
    assert halt["above"] is None
    assert halt["since_boot"]["above_per_s"] is None
    assert "n/a" in text_of(roots)


@pytest.mark.parametrize("name", names())
def test_the_document_is_decoded_to_the_same_result(machine: Machines, name: str) -> None:
    result = result_of(machine(name))
    assert decode(encode(result), ShowResult, "show.json") == result
