"""The verdict of the stages lab."""

from dataclasses import replace
from pathlib import Path

import pytest

from harness.labs.stages.verdict import stages_verdict
from harness.labs.verdict import PairConclusion
from tests.harness.labs.stages.measurements import measurement


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
    assert stages_verdict(measurement(tmp_path, gains=gains)).conclusion is expected


def test_cpu_time_decides_if_the_loader_was_the_bottleneck(tmp_path: Path) -> None:
    lab = measurement(tmp_path, loader_limit="its core is full")
    verdict = stages_verdict(lab)
    assert verdict.conclusion is PairConclusion.GAIN
    assert verdict.reason.startswith("requests per CPU second 1.500")
    assert "its core is full" in verdict.reason
    no_cpu = replace(lab, readings=tuple(replace(r, cpu_us=None) for r in lab.readings))
    assert stages_verdict(no_cpu).conclusion is PairConclusion.REFUSED


def test_error_replies_give_no_verdict(tmp_path: Path) -> None:
    lab = measurement(tmp_path)
    readings = (replace(lab.readings[0], errors=3), *lab.readings[1:])
    verdict = stages_verdict(replace(lab, readings=readings))
    assert verdict.conclusion is PairConclusion.REFUSED
    assert "3 replies were errors" in verdict.reason


def test_shared_cpus_give_no_verdict(tmp_path: Path) -> None:
    lab = measurement(tmp_path)
    verdict = stages_verdict(replace(lab, cores=replace(lab.cores, server=lab.cores.loader)))
    assert verdict.conclusion is PairConclusion.REFUSED
    assert "share CPUs" in verdict.reason
