"""`topdown.stacks.formats.table_numbers`."""

from topdown.stacks.formats.table_numbers import TableNumbers


def test_entries_are_added_once_in_the_order_of_their_first_use() -> None:
    rows: list[tuple[str, int]] = []
    table: TableNumbers[str] = TableNumbers(lambda entry, number: rows.append((entry, number)))
    assert [table.number(entry) for entry in ("b", None, "a", "b")] == [1, 0, 2, 1]
    assert rows == [("b", 1), ("a", 2)]
    assert table.numbers == {"b": 1, "a": 2}
