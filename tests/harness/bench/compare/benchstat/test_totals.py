import numpy as np
import pytest

from harness.bench.compare.benchstat.totals import geometric_mean


def test_the_geometric_mean_has_the_dust_of_the_reference():
    assert geometric_mean(np.array([1.00095e-07])) == 1.0009500000000001e-07
    assert geometric_mean(np.array([1.0, 4.0])) == pytest.approx(2)


def test_there_is_no_mean_of_values_that_are_not_positive():
    assert geometric_mean(np.array([1.0, 0.0])) is None
    assert geometric_mean(np.array([])) is None
