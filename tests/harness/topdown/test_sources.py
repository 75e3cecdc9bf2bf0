"""Which source of slots is used."""

from dataclasses import replace
from pathlib import Path

import pytest

from harness.cli.recording_options import TargetChoice
from harness.machine_checks.check import Status
from harness.topdown.counting import CountingBackend
from harness.topdown.options import OutputForm, SlotSource, TopdownOptions
from harness.topdown.sources import measure_slots, pmu_check
from stallscope.errors import UnableError, UsageError
from stallscope.system_files import Roots

MACHINES = Path(__file__).parents[2] / "machines"
COMMAND = TargetChoice((), ("./work",), False, "", "", None)
ALL_CPUS = TargetChoice((), (), True, "", "", 1.0)
WITHOUT_PMU = CountingBackend(Roots.recorded(MACHINES / "vm-without-pmu"))


def refused(options: TopdownOptions) -> str:
    """Return the remedy of the error on a machine without counters."""
    with pytest.raises(UnableError) as error:
        measure_slots(options, lambda *_: None, WITHOUT_PMU)
    return error.value.remedy


def test_counters_are_those_of_the_machine() -> None:
    assert pmu_check(Roots.recorded(MACHINES / "intel-metal")).status is Status.AVAILABLE
    assert pmu_check(WITHOUT_PMU.roots).status is Status.UNAVAILABLE


def test_without_counters_the_remedy_names_other_sources() -> None:
    options = TopdownOptions(SlotSource.PMU, None, COMMAND, OutputForm.JSON)
    assert "--source model" in refused(options)
    process = replace(options, choice=TargetChoice((7,), (), False, "", "", 1.0))
    assert "--source auto" in refused(process)


def test_all_cpus_cannot_be_observed_without_counters() -> None:
    options = TopdownOptions(SlotSource.AUTO, None, ALL_CPUS, OutputForm.JSON)
    assert "stallscope profile samples CPU time" in refused(options)


def test_a_directory_without_counts_is_not_a_recording_of_counters(tmp_path: Path) -> None:
    options = TopdownOptions(SlotSource.RECORDING, tmp_path, None, OutputForm.JSON)
    with pytest.raises(UsageError, match="is not a recording of counters"):
        measure_slots(options, lambda *_: None)
