"""Verdicts on growth."""

import pytest

from harness.bench.scale.fits import fit_laws
from harness.bench.scale.readings import CountMeasurement, by_count
from harness.bench.scale.result import ScaleVerdict
from harness.bench.scale.verdict import verdict, warnings


def _points(pairs):
    return by_count([CountMeasurement(n, x, "") for n, x in pairs])


@pytest.mark.parametrize(
    ("sigma", "kappa", "expected"),
    [
        (0.02, 0.02, ScaleVerdict.RETROGRADE),
        (0.1, 0.0, ScaleVerdict.NO_RETROGRADE),
        (0.0, 0.0, ScaleVerdict.LINEAR),
        (1.0, 0.0, ScaleVerdict.CONSTANT),
    ],
)  # fmt: skip
def test_exact_data_have_their_verdict(sigma, kappa, expected) -> None:
    points = _points(
        (n, n / (1 + sigma * (n - 1) + kappa * n * (n - 1))) for n in (1, 2, 4, 8, 12, 16)
    )
    assert verdict(fit_laws(points, None).usl, len(points), "threads")[0] is expected


def test_few_points_say_how_many_are_missing() -> None:
    answer, reason = verdict(None, 2, "threads")
    assert answer is ScaleVerdict.TOO_FEW_POINTS
    assert "a verdict needs 6" in reason


def test_growth_above_linear_and_a_peak_beyond_the_data_are_warnings() -> None:
    fast = _points([(1, 1), (2, 3), (4, 7), (8, 9), (16, 9.5), (32, 9.6)])
    texts = list(warnings(fit_laws(fast, None).usl, fast, (), ()))
    assert any("more than linear up to 8" in text for text in texts)
    assert any("it may not describe this system" in text for text in texts)
    slow = _points((n, n / (1 + 0.001 * n * (n - 1))) for n in (1, 2, 3, 4, 5, 6))
    texts = list(warnings(fit_laws(slow, None).usl, slow, (), ()))
    assert any("beyond the largest count measured, 6" in text for text in texts)
