"""Holm's correction and the samples it needs."""

import pytest

from stallscope.statistics.multiple_tests import holm, min_group_size


def test_holm_keeps_the_order_of_the_input() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.9, 0.8]) == [1.0, 1.0]


@pytest.mark.parametrize(
    ("comparisons", "size"),
    [(1, 4), (3, 5), (6, 5), (7, 6)],  # 2/70, 6/252, 12/252 = 0.048
)
def test_more_comparisons_need_larger_samples(comparisons: int, size: int) -> None:
    assert min_group_size(comparisons) == size
