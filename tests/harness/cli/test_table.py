"""Tables that leave out columns on a narrow terminal."""

from rich.cells import cell_len

from harness.cli.table import columns, fitting_rows

ROWS = [("Name", "p50", "p99", "max"), ("a", "1.00 ms", "2.00 ms", "3.00 ms")]


def test_optional_columns_are_left_out_in_order_until_the_table_fits() -> None:
    whole = fitting_rows(ROWS, 100, ("p99", "p50"))
    assert whole[0].split() == ["Name", "p50", "p99", "max"]
    width = max(map(len, whole))
    assert fitting_rows(ROWS, width, ("p99", "p50")) == whole
    narrower = fitting_rows(ROWS, width - 1, ("p99", "p50"))
    assert [line.split("  ")[0] for line in narrower] == ["Name", "a"]
    assert narrower[0].split() == ["Name", "p50", "max"]
    assert narrower[1].split() == ["a", "1.00", "ms", "3.00", "ms"]


def test_a_column_that_is_not_optional_stays() -> None:
    assert fitting_rows(ROWS, 1, ("p99",))[0].split() == ["Name", "p50", "max"]


def test_the_first_of_two_columns_with_the_same_head_is_left_out() -> None:
    rows = [("x", "p99", "p99"), ("a", "queue", "device")]
    assert fitting_rows(rows, 1, ("p99",))[1].split() == ["a", "device"]


def test_names_in_wide_scripts_do_not_break_the_alignment() -> None:
    lines = columns([("name", "share"), ("\u6570\u636e\u5e93", "1.0 %"), ("redis", "99.0 %")])
    assert len({cell_len(line) for line in lines}) == 1


def test_markup_in_a_name_is_printed_unchanged() -> None:
    assert columns([("[bold]x[/bold]", "1")]) == ["[bold]x[/bold]  1"]
