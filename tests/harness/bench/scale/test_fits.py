"""Both laws fitted to readings."""

import pytest

from harness.bench.scale.fits import fit_laws
from harness.bench.scale.readings import CountMeasurement, by_count


def test_a_fixed_rate_needs_one_count_less() -> None:
    points = by_count([CountMeasurement(1, 10, ""), CountMeasurement(2, 18, "")])
    assert fit_laws(points, None).usl is None
    fits = fit_laws(points, "first")
    assert fits.usl is not None
    assert fits.usl.rate.value == 10
    assert fits.amdahl.sigma.value == pytest.approx(1 / 9)


def test_one_count_has_no_law_with_a_free_rate() -> None:
    fits = fit_laws(by_count([CountMeasurement(4, 10, "")]), None)
    assert (fits.usl, fits.amdahl) == (None, None)
