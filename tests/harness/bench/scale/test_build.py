"""Results built of readings."""

import pytest

from tests.harness.bench.scale.results import BESIDE, usl_result


def test_points_have_speed_up_efficiency_and_residual() -> None:
    result, _ = usl_result()
    first, second = result.points[:2]
    assert (first.speed_up, first.efficiency, first.runs) == (1, 1, 2)
    assert second.speed_up == pytest.approx(2 / 1.06)
    assert second.efficiency == pytest.approx(1 / 1.06)
    assert second.residual == pytest.approx(0, abs=1e-6)
    assert result.source == "table"
    assert result.bounds.saturation is None


def test_measured_cpus_saturate() -> None:
    result, _ = usl_result(cpus=4, beside=BESIDE)
    assert result.source == "measured"
    assert result.bounds.saturation == pytest.approx(400)
    assert result.demands[0].demand_s == pytest.approx(0.01)
    assert any("CPU time per operation is" in text for text in result.warnings)
    assert result.beside == BESIDE
