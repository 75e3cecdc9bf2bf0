"""Fits of Amdahl's law and of the universal scalability law, against published data."""

import math

import numpy as np
import pytest

from stallscope.statistics.universal_scalability import fit_amdahl, fit_usl

SPEC_N = (1, 18, 36, 72, 108, 144, 216)
SPEC_X = (64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2)
CISCO_X = (
    955.16, 1878.91, 2688.01, 3548.68, 4315.54, 5130.43, 5931.37, 6531.08, 7219.8, 7867.61,
    8278.71, 8646.7, 9047.84, 9426.55, 9645.37, 9897.24, 10097.6, 10240.5, 10532.39, 10798.52,
    11151.43, 11518.63, 11806, 12089.37, 12075.41, 12177.29, 12211.41, 12158.93, 12155.27,
    12118.04, 12140.4, 12074.39,
)  # fmt: skip
RAYS_N = (1, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64)
RAYS_X = (20, 78, 130, 170, 190, 200, 210, 230, 260, 280, 310)
SCAN_N = (1, 8, 16, 32, 64)
SCAN_MEGACYCLES = (66_665, 67_652, 72_018, 86_479, 111_175)
SCAN_SPEED_UP = [n * SCAN_MEGACYCLES[0] / m for n, m in zip(SCAN_N, SCAN_MEGACYCLES, strict=True)]


def test_specsdm91_has_the_published_coefficients_and_errors() -> None:
    fit = fit_usl(SPEC_N, SPEC_X)
    assert fit.rate.value == pytest.approx(90.0, abs=0.05)
    assert fit.sigma.value == pytest.approx(0.02773, abs=1e-5)
    assert fit.kappa.value == pytest.approx(1.044e-4, abs=1e-7)
    assert fit.peak == pytest.approx(96.52, abs=0.01)
    assert fit.limit == pytest.approx(3245.59, abs=0.5)
    assert fit.rate.error == pytest.approx(14.21, abs=0.01)
    assert fit.sigma.error == pytest.approx(0.00912, abs=1e-5)
    assert fit.kappa.error == pytest.approx(1.99e-5, abs=1e-7)
    assert fit.degrees_of_freedom == 4
    assert fit.kappa.low == pytest.approx(fit.kappa.value - 2.7764 * fit.kappa.error)


def test_cisco_server() -> None:
    fit = fit_usl(range(1, 33), CISCO_X)
    assert fit.rate.value == pytest.approx(995.6486, abs=1e-3)
    assert fit.sigma.value == pytest.approx(0.02671591, abs=1e-7)
    assert fit.kappa.value == pytest.approx(7.690945e-4, abs=1e-9)
    assert fit.peak == pytest.approx(35.57, abs=0.01)
    assert fit.peak_throughput == pytest.approx(12_343, abs=1)
    assert fit.limit == pytest.approx(37_268, abs=1)


def test_ray_tracer_touches_the_bound_and_is_amdahls() -> None:
    fit = fit_usl(RAYS_N, RAYS_X)
    amdahl = fit_amdahl(RAYS_N, RAYS_X)
    assert fit.kappa.value == 0
    assert fit.kappa.at_bound
    assert fit.peak is None
    for item in (fit, amdahl):
        assert item.rate.value == pytest.approx(21.848843, abs=1e-5)
        assert item.sigma.value == pytest.approx(0.057771, abs=1e-6)
        assert item.limit == pytest.approx(378, abs=0.5)


def test_exact_data_give_exact_coefficients() -> None:
    fit = fit_usl([1, 2, 4, 6, 8, 10], [1, 1.8868, 3.0769, 3.5294, 3.5398, 3.3557])
    assert fit.rate.value == pytest.approx(1, abs=1e-4)
    assert fit.sigma.value == pytest.approx(0.02, abs=1e-4)
    assert fit.kappa.value == pytest.approx(0.02, abs=1e-4)
    assert fit.peak == pytest.approx(7.0, abs=0.01)


def test_table_scan_with_lambda_fixed_at_1_and_free() -> None:
    assert [round(value, 2) for value in SCAN_SPEED_UP[1:]] == [7.88, 14.81, 24.67, 38.38]
    assert fit_amdahl(SCAN_N, SCAN_SPEED_UP, fixed_rate=1).sigma.value == pytest.approx(
        0.0104, abs=5e-5
    )
    fixed = fit_usl(SCAN_N, SCAN_SPEED_UP, fixed_rate=1)
    assert fixed.sigma.value == pytest.approx(0.0075, abs=5e-5)
    assert fixed.kappa.value == pytest.approx(4.9e-5, abs=5e-7)
    assert fixed.peak == pytest.approx(142, abs=0.5)
    assert fixed.rate.fixed
    free = fit_usl(SCAN_N, SCAN_SPEED_UP)
    assert free.rate.value == pytest.approx(1.087, abs=1e-3)
    assert free.sigma.value == pytest.approx(0.01294, abs=5e-5)
    assert free.kappa.value == 0


def test_the_fit_is_at_least_as_close_as_fits_from_random_starts() -> None:
    from scipy.optimize import least_squares

    generator = np.random.default_rng(1)
    for n, x in ((np.array(SPEC_N), np.array(SPEC_X)), (np.arange(1, 33), np.array(CISCO_X))):
        cost = sum(value**2 for value in fit_usl(n, x).residuals)
        for _ in range(5):
            start = generator.uniform(0, 1, 3) * (2 * x[0], 0.2, 0.01)
            other = least_squares(
                lambda v, n=n, x=x: v[0] * n / (1 + v[1] * (n - 1) + v[2] * n * (n - 1)) - x,
                start, bounds=(0, np.inf), x_scale=(x[0], 0.1, 1e-3),
            )  # fmt: skip
            assert cost <= 2 * other.cost * (1 + 1e-9)


def test_constant_throughput_is_all_contention() -> None:
    fit = fit_usl([1, 2, 4, 8, 16, 32], [7.0] * 6)
    assert fit.sigma.value == pytest.approx(1)
    assert fit.kappa.value == pytest.approx(0, abs=1e-9)
    assert fit.r_squared is None


def test_linear_growth_has_neither_peak_nor_limit() -> None:
    fit = fit_usl([1, 2, 4, 8, 16, 32], [3, 6, 12, 24, 48, 96])
    assert (fit.sigma.value, fit.kappa.value) == (0, 0)
    assert fit.peak is None
    assert fit.limit is None
    assert fit.rate.value == pytest.approx(3)


def test_three_points_have_coefficients_without_an_interval() -> None:
    fit = fit_usl([1, 2, 4], [1, 1.9, 3])
    assert fit.rate.low is None
    assert fit.band([1, 2]) is None
    assert fit.degrees_of_freedom == 0


def test_the_band_contains_the_curve_and_is_wider_beyond_the_data() -> None:
    fit = fit_usl(SPEC_N, SPEC_X)
    low, high = fit.band([1, 100, 1000])
    middle = fit.throughput([1, 100, 1000])
    assert (low < middle).all()
    assert (middle < high).all()
    assert (high - low)[2] / middle[2] > (high - low)[1] / middle[1]


@pytest.mark.parametrize(
    ("counts", "throughputs", "message"),
    [
        ([1, 2, 4], [1, math.nan, 3], "point 2: throughput nan is not a number above 0"),
        ([1, 2, 4], [1, 2, -3], "point 3: throughput -3"),
        ([0, 2, 4], [1, 2, 3], "point 1: count 0"),
        ([1, 2, 4], [1, 2, math.inf], "point 3"),
        ([1, 2], [1, 2], "2 counts"),
        ([1, 1, 2], [1, 1, 2], "2 counts"),
        ([1, 2], [1], "2 counts and 1 values"),
    ],
)  # fmt: skip
def test_impossible_points_are_named(counts, throughputs, message) -> None:
    with pytest.raises(ValueError, match=message):
        fit_usl(counts, throughputs)
