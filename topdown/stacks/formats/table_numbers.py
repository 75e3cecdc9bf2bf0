"""Numbers of the entries of a message's table, in the order of their first use."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Entry = TypeVar("Entry", bound=Hashable)


class StringTable:
    """Numbers texts in the order of their first use; "" is 0."""

    def __init__(self) -> None:
        """Start with the empty text."""
        self.texts: dict[str, int] = {"": 0}

    def number(self, text: str) -> int:
        """Return the number of a text, in which lone surrogates are replaced."""
        text = text.encode("utf-8", "replace").decode()
        return self.texts.setdefault(text, len(self.texts))


class TableNumbers(Generic[Entry]):
    """Numbers entries from 1, and adds an entry to the table when it is used first.

        functions = TableNumbers(add_function)  # add_function(entry, number)
        functions.number(function)

    An entry has its number before it is added; adding it may number entries of other tables.
    """

    def __init__(self, add: Callable[[Entry, int], None]) -> None:
        """Start with an empty table, whose entry 0 stands for none."""
        self._add = add
        self.numbers: dict[Entry, int] = {}

    def number(self, entry: Entry | None) -> int:
        """Return the number of an entry; 0 for None."""
        if entry is None:
            return 0
        number = self.numbers.get(entry)
        if number is None:
            number = self.numbers[entry] = len(self.numbers) + 1
            self._add(entry, number)
        return number
