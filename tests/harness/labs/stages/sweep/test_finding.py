"""Where stages pay, from invented sweeps."""

from dataclasses import replace
from pathlib import Path

from harness.labs.stages.options import StagesOptions
from harness.labs.stages.sweep.finding import GainBy, gain_of, sweep_finding
from harness.labs.stages.sweep.plan import footprint_options
from tests.harness.labs.stages.sweep.sweeps import point, sweep


def test_the_finding_names_the_range_the_best_footprint_and_the_caches(tmp_path: Path) -> None:
    finding = sweep_finding(sweep(tmp_path))
    assert finding.best is not None
    assert finding.best.options.footprint_kb == 512
    assert (finding.pays_from_kb, finding.pays_to_kb) == (64, 2048)
    for part in ("64 to 2048 KB of code: the L1I holds 32 KB, the L2 1024 KB",
                 "The best footprint is 512 KB, with 1.60 times the throughput",
                 "fall from 1,000 to 200 per request, and each saved miss is worth 46",
                 "At 2048 KB, beyond the L2, the gain is 1.20",
                 "A batch limit of 64 is enough", "(limit 1) it is 0.90"):  # fmt: skip
        assert part in finding.text


def test_a_machine_without_a_gain_is_not_praised(tmp_path: Path) -> None:
    finding = sweep_finding(sweep(tmp_path, {8: 0.99, 512: 1.02}))
    assert (finding.pays_from_kb, finding.pays_to_kb) == (None, None)
    assert "Stages pay at no footprint" in finding.text


def test_too_few_pairs_have_no_finding(tmp_path: Path) -> None:
    whole = sweep(tmp_path)
    few = tuple(
        replace(lab, readings=tuple(r for r in lab.readings if r.run.pair < 2))
        for lab in whole.footprints
    )
    finding = sweep_finding(replace(whole, footprints=few))
    assert finding.pays_from_kb is None
    assert "2 pairs of rounds per point, at least 5" in finding.text
    assert sweep_finding(replace(whole, footprints=())).text == "No footprint was measured."


def test_a_limited_loader_is_replaced_by_cpu_time(tmp_path: Path) -> None:
    options = footprint_options(StagesOptions("codec", tmp_path), 8)
    gain, by = gain_of(point(options, 1.5, loader_limit="its core is full"))
    assert (by, round(gain.median or 0, 2)) == (GainBy.CPU, 1.5)
