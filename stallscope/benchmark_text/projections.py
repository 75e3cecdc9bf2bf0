"""Projections: the keys of results that name the tables, rows and columns of a comparison.

    parser = ProjectionParser()
    rows = parser.parse(".fullname")
    keys = rows.project(results, selected)   # one key per selected series, in the order of tables

Keys of several projections exclude each other, as in golang.org/x/perf/benchproc: a key that one
projection names is not part of ``.config`` or ``.fullname`` in another.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stallscope.benchmark_text.fields import field_texts, series_ids
from stallscope.benchmark_text.results import BenchmarkResults
from stallscope.benchmark_text.syntax import END, QUOTED, WORD, Token, Tokens

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ids = npt.NDArray[np.int64]

FIRST, FIXED, ALPHABETIC, NUMERIC = "first", "fixed", "alpha", "num"
UNIT = ".unit"
_NUMBER = re.compile(r"([+-]?[0-9.]+)([kKMGTPEZY]i?)?[bB]?")


@dataclass(frozen=True, slots=True)
class FieldOrder:
    """A key of a projection and the order of its values; ``fixed``: the only values allowed."""

    key: str
    order: str = FIRST
    fixed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProjectionKeys:
    """The distinct keys of a projection as tables show them, and the key of each series.

    ``values[i]`` are the values of key i, one for each of ``fields``.
    """

    fields: tuple[str, ...]
    values: list[tuple[str, ...]]
    of_series: "Ids"

    def label(self, key: int) -> str:
        """Return the values of a key, separated by spaces."""
        return " ".join(value for value in self.values[key] if value)


@dataclass
class ProjectionParser:
    """Parses projections that exclude each other's keys."""

    configuration_keys: set[str] = field(default_factory=set)
    name_keys: list[str] = field(default_factory=list)
    has_configuration: bool = False
    has_full_name: bool = False

    def parse(self, text: str, *, with_unit: bool = False) -> "Projection":
        """Return the projection of an expression. Raises ExpressionError."""
        tokens = Tokens(text)
        orders: list[FieldOrder] = []
        while (token := tokens.peek()).kind != END:
            if token.kind == "," and orders:
                tokens.take()
            orders.append(self._checked(tokens, _parse_field(tokens)))
        return Projection(self, tuple(orders), with_unit=with_unit)

    def residue(self) -> "Projection":
        """Return the projection of all keys that no other projection names."""
        orders = []
        if not self.has_configuration:
            orders.append(FieldOrder(".config"))
        if not self.has_full_name:
            orders.append(FieldOrder(".fullname"))
        return Projection(self, tuple(orders))

    def _checked(self, tokens: Tokens, parsed: tuple[Token, int, FieldOrder]) -> FieldOrder:
        key, order_offset, order = parsed
        if order.order not in (FIRST, FIXED, ALPHABETIC, NUMERIC):
            raise tokens.error(order_offset, f'unknown order "{order.order}"')
        if order.key == ".config":
            if order.order == FIXED:
                raise tokens.error(order_offset, "fixed order not allowed for .config")
            self.has_configuration = True
        elif order.key == ".fullname":
            self.has_full_name = True
        elif order.key == UNIT:
            raise tokens.error(key.offset, ".unit is only allowed in filters")
        elif not order.key:
            raise tokens.error(key.offset, "key must not be empty")
        elif order.key == ".name" or order.key.startswith("/"):
            self.name_keys.append(order.key)
        else:
            self.configuration_keys.add(order.key)
        return order


def _parse_field(tokens: Tokens) -> tuple[Token, int, FieldOrder]:
    """Return the token of the key, the offset of its order, and both together."""
    key = tokens.take()
    if key.kind not in (WORD, QUOTED):
        raise tokens.error(key.offset, "expected key")
    if tokens.peek().kind != "@":
        return key, key.end, FieldOrder(key.text)
    tokens.take()
    order = tokens.take()
    if order.kind in (WORD, QUOTED):
        return key, order.offset, FieldOrder(key.text, order.text)
    if order.kind != "(":
        message = "expected named sort order or parenthesized list"
        raise tokens.error(order.offset, message)
    fixed: list[str] = []
    while (word := tokens.take()).kind in (WORD, QUOTED):
        fixed.append(word.text)
    if word.kind != ")":
        raise tokens.error(word.offset, "missing )")
    if not fixed:
        raise tokens.error(word.offset, "nothing to match")
    return key, order.offset, FieldOrder(key.text, FIXED, tuple(fixed))


@dataclass(frozen=True)
class _Column:
    """One field: the rank of the value of each series, and the values by rank."""

    name: str
    ranks: "Ids"
    values: list[str]


class Projection:
    """Fields and their orders; ``project`` evaluates them."""

    def __init__(
        self, parser: ProjectionParser, orders: Sequence[FieldOrder], *, with_unit: bool = False
    ) -> None:
        """Set the fields; the parser knows the keys that other projections take."""
        self._parser = parser
        self.orders = tuple(orders)
        self._with_unit = with_unit

    def allowed_series(self, results: BenchmarkResults) -> "npt.NDArray[np.bool_]":
        """Return for each series whether its values are listed in every fixed order."""
        import numpy as np  # noqa: PLC0415

        allowed = np.ones(results.series_count, dtype=bool)
        for order in self.orders:
            if order.order == FIXED:
                texts = self._texts(results, order.key)
                accepted = np.array([text in order.fixed for text in texts], dtype=bool)
                allowed &= accepted[series_ids(results, order.key)]
        return allowed

    def project(
        self, results: BenchmarkResults, selected: "Ids", *, keep_unscaled: bool = True
    ) -> ProjectionKeys:
        """Return the keys of the selected series, which are in the order of their first lines."""
        columns: list[_Column] = []
        for order in self.orders:
            if order.key == ".config":
                columns += self._configuration_columns(results, selected, order)
            else:
                ids = series_ids(results, order.key)[selected]
                columns.append(_column(order, ids, self._texts(results, order.key)))
        if self._with_unit:
            units = results.units_of_series(keep_unscaled=keep_unscaled)[selected]
            columns.append(_column(FieldOrder(UNIT), units, results.units))
        return _keys(columns, len(selected))

    def _texts(self, results: BenchmarkResults, key: str) -> list[str]:
        return field_texts(results, key, self._parser.name_keys if key == ".fullname" else ())

    def _configuration_columns(
        self, results: BenchmarkResults, selected: "Ids", order: FieldOrder
    ) -> list[_Column]:
        """Return a column for each key of configurations, in the order of first appearance."""
        import numpy as np  # noqa: PLC0415

        ids = results.columns["configuration"][selected]
        first = np.sort(np.unique(ids, return_index=True)[1])
        keys: dict[str, None] = {}
        for position in first:
            keys.update(dict.fromkeys(results.configurations[ids[position]]))
        # Values of a key of .config are ordered by their text unless an order is named.
        by_text = FieldOrder("", ALPHABETIC if order.order == FIRST else order.order)
        return [
            _column(
                FieldOrder(key, by_text.order),
                ids,
                [configuration.get(key, "") for configuration in results.configurations],
            )
            for key in keys
            if key not in self._parser.configuration_keys
        ]


def _column(order: FieldOrder, ids: "Ids", texts: Sequence[str]) -> _Column:
    import numpy as np  # noqa: PLC0415

    used, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
    # The first position of each distinct text; several ids may have the same text.
    firsts: dict[str, int] = {}
    for identity, position in zip(used.tolist(), first.tolist(), strict=True):
        text = texts[identity]
        firsts[text] = min(firsts.get(text, position), position)
    if order.order == FIRST:
        ordered = sorted(firsts, key=firsts.__getitem__)
    else:
        ordered = sorted(firsts, key=_sort_key(order))
    rank_of = {text: rank for rank, text in enumerate(ordered)}
    ranks = np.array([rank_of[texts[identity]] for identity in used.tolist()], dtype=np.int64)
    return _Column(order.key, ranks[inverse], ordered)


def _sort_key(order: FieldOrder) -> Callable[[str], Any]:
    def text_bytes(text: str) -> bytes:
        return text.encode("utf-8", "surrogateescape")

    if order.order == FIXED:
        # A value that is named twice has its last place.
        places = {text: place for place, text in enumerate(order.fixed)}
        return lambda text: places.get(text, 0)
    if order.order == ALPHABETIC:
        return text_bytes

    def numeric(text: str) -> tuple[int, float, bytes]:
        number = number_with_prefix(text)
        if number is None:
            return 2, 0.0, text_bytes(text)
        if math.isnan(number):
            return 1, 0.0, text_bytes(text)
        return 0, number, text_bytes(text)

    return numeric


def number_with_prefix(text: str) -> float | None:
    """Return a number with an optional prefix and byte sign, such as 2k or 1MiB; None if none."""
    try:
        return float(text) if text == text.strip() and text.isascii() else None
    except ValueError:
        match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    try:
        number = float(match[1])
    except ValueError:
        return None
    prefix = match[2] or ""
    exponent = 1 + "KMGTPEZY".index(prefix[0].upper()) if prefix else 0
    return float(number * math.pow(1024 if prefix.endswith("i") else 1000, exponent))


def _keys(columns: list[_Column], count: int) -> ProjectionKeys:
    import numpy as np  # noqa: PLC0415

    combined = np.zeros(count, dtype=np.int64)
    for column in columns:
        combined = combined * len(column.values) + column.ranks
        # Ranks are made dense again, so that the product stays small.
        combined = np.unique(combined, return_inverse=True)[1].reshape(-1)
    _, first, of_series = np.unique(combined, return_index=True, return_inverse=True)
    values_by_column = [
        [column.values[rank] for rank in column.ranks[first].tolist()] for column in columns
    ]
    values: list[tuple[str, ...]] = [()] * len(first)
    if columns:
        values = list(zip(*values_by_column, strict=True))
    return ProjectionKeys(tuple(column.name for column in columns), values, of_series.reshape(-1))
