"""The collector on hardware counters whose readings are known by construction."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.pmu_guest.guest import Result
from tests.pmu_guest.scenarios import FREQUENCY, LOOP_CYCLES_A_ROUND, PERIOD, ROUNDS

pytestmark = pytest.mark.pmu
ManifestOf = Callable[[str], dict[str, Any]]


def test_the_kernel_drives_a_pmu(guest: dict[str, Result]) -> None:
    boot_log = guest["probe"].path.parent / "boot.log"
    assert "armv8_pmuv3 PMU driver" in boot_log.read_text(errors="replace")
    probes = {probe["name"]: probe for probe in json.loads(guest["probe"].stdout)["probes"]}
    assert probes["cycles"]["ok"]
    assert probes["callchain"]["ok"]


@pytest.mark.parametrize(
    "name", ["short", "frequency", "attached", "all_cpus", "cgroup", "threads"]
)
def test_hardware_cycles_are_chosen_as_the_sampling_event(
    manifest_of: ManifestOf, name: str
) -> None:
    manifest = manifest_of(name)
    assert manifest["complete"]
    assert manifest["source"]["event"] == "cycles"
    assert manifest["source"]["kind"] == "measured"
    assert manifest["source"]["unit"] == "events"
    assert not [item for item in manifest["warnings"] if item["code"] == "no-hardware-cycles"]
    assert manifest["host"]["architecture"] == "aarch64"


@pytest.mark.parametrize("name", ROUNDS)
def test_a_period_gives_the_expected_number_of_samples(manifest_of: ManifestOf, name: str) -> None:
    manifest = manifest_of(name)
    counted = manifest["counter"]["value"]
    assert counted == pytest.approx(ROUNDS[name] * LOOP_CYCLES_A_ROUND, rel=0.005)
    assert manifest["samples"] == counted // PERIOD
    assert manifest["counter"]["sampled"] == manifest["samples"] * PERIOD
    assert manifest["losses"]["lost_samples"] == 0


def test_counts_are_exact(manifest_of: ManifestOf) -> None:
    """Equal numbers of rounds take equal cycles, to 1e-6: start and end have a constant cost."""
    short, twice, thrice = (manifest_of(name)["counter"]["value"] for name in ROUNDS)
    assert thrice - twice == pytest.approx(twice - short, rel=1e-6)


@pytest.mark.parametrize("name", ["CPU_CYCLES", "INST_RETIRED"])
def test_libpfm4_names_count(manifest_of: ManifestOf, name: str) -> None:
    """At a cycle per instruction both counts are equal."""
    manifest = manifest_of(name)
    assert manifest["source"]["event"] == f"arm_n1::{name}"
    assert manifest["counter"]["value"] == pytest.approx(1000 * LOOP_CYCLES_A_ROUND, rel=0.005)


def test_an_unknown_name_is_a_usage_error(guest: dict[str, Result]) -> None:
    result = guest["no_such_event"]
    assert result.status == 2
    assert "NO_SUCH_EVENT" in result.stderr
    assert not result.run.exists()


def test_children_are_counted_once(manifest_of: ManifestOf) -> None:
    """Three processes may each leave less than a period unsampled."""
    manifest = manifest_of("children")
    assert manifest["counter"]["value"] == pytest.approx(1000 * LOOP_CYCLES_A_ROUND, rel=0.02)
    assert abs(manifest["samples"] - manifest["counter"]["value"] // PERIOD) <= 3


@pytest.mark.parametrize("name", ["frequency", "attached", "interrupted", "cgroup", "threads"])
def test_sampled_and_lost_add_up_to_the_counter(manifest_of: ManifestOf, name: str) -> None:
    manifest = manifest_of(name)
    counter, lost = manifest["counter"], manifest["losses"]["lost_samples"]
    sampled = counter["sampled"] + lost * counter["sampled"] / manifest["samples"]
    assert counter["time_running_ns"] == counter["time_enabled_ns"]
    assert sampled == pytest.approx(counter["value"], rel=0.02)


def test_attaching_by_pid_samples_at_the_frequency(manifest_of: ManifestOf) -> None:
    manifest = manifest_of("attached")
    assert manifest["end"]["reason"] == "duration"
    enabled_s = manifest["counter"]["time_enabled_ns"] / 1e9
    assert enabled_s > 0.15
    assert manifest["samples"] == pytest.approx(FREQUENCY * enabled_s, rel=0.05)


def test_a_counter_shared_with_others_is_read_with_its_running_time(
    manifest_of: ManifestOf,
) -> None:
    """Nine samplers of a process share seven counters by multiplexing."""
    counter = manifest_of("crowded")["counter"]
    assert counter["time_running_ns"] == pytest.approx(7 / 9 * counter["time_enabled_ns"], rel=0.1)
    assert counter["sampled"] == pytest.approx(counter["value"], rel=0.02)


def test_sigint_closes_the_recording(manifest_of: ManifestOf, guest: dict[str, Result]) -> None:
    manifest = manifest_of("interrupted")
    assert manifest["complete"]
    assert manifest["end"]["reason"] == "signal"
    for file in manifest["files"]:
        assert (guest["interrupted"].run / file["name"]).stat().st_size == file["bytes"]
