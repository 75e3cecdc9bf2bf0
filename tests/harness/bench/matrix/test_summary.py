import pytest

from harness.bench.matrix.summary import summary_text, value_text, without_outliers


def test_quartiles_of_definition_8_keep_what_definition_7_drops():
    kept = without_outliers([376, 380, 381, 384, 420])
    assert len(kept.values) == 5
    assert len(without_outliers([1, 1, 1, 1, 100]).values) == 4


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (516e-6, "516us"),
        (55.9e-6, "55.9us"),
        (5.72e-6, "5.72us"),
        (279e-9, "279ns"),
        (1.5, "1.50s"),
        (0.012, "12.0ms"),
    ],
)
def test_durations_have_three_digits(seconds, text):
    assert value_text(seconds, "sec/op") == text


def test_the_deviation_is_the_larger_one_in_percent():
    assert summary_text(without_outliers([100e-6, 101e-6, 102e-6]), "sec/op") == "101us ± 1%"
