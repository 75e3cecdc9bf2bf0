"""Tables that lose columns where a terminal is narrow."""

from harness.cli.fitting_table import fitting_rows

CELLS = [("Name", "p50", "p99", "max"), ("a", "1.00 ms", "2.00 ms", "3.00 ms")]


def test_columns_go_in_their_order_until_the_table_fits() -> None:
    whole = fitting_rows(CELLS, 100, ("p99", "p50"))
    assert whole[0].split() == ["Name", "p50", "p99", "max"]
    width = max(map(len, whole))
    assert fitting_rows(CELLS, width, ("p99", "p50")) == whole
    fewer = fitting_rows(CELLS, width - 1, ("p99", "p50"))
    assert [line.split("  ")[0] for line in fewer] == ["Name", "a"]
    assert fewer[0].split() == ["Name", "p50", "max"]
    assert fewer[1].split() == ["a", "1.00", "ms", "3.00", "ms"]


def test_what_cannot_be_spared_stays() -> None:
    assert fitting_rows(CELLS, 1, ("p99",))[0].split() == ["Name", "p50", "max"]


def test_of_two_columns_of_a_name_the_first_goes() -> None:
    cells = [("x", "p99", "p99"), ("a", "queue", "device")]
    assert fitting_rows(cells, 1, ("p99",))[1].split() == ["a", "device"]
