"""Filters of benchmark results, such as ``.name:Sort /n:(100 OR 10000) -/kind:asc .unit:ns/op``.

The syntax is that of golang.org/x/perf/benchproc. Patterns are Python's regular expressions.
"""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stallscope.benchmark_text.fields import field_texts, series_ids
from stallscope.benchmark_text.results import BenchmarkResults
from stallscope.benchmark_text.syntax import AND, END, OR, PATTERN, QUOTED, WORD, Token, Tokens

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Mask = npt.NDArray[np.bool_]

_TERM_STARTS = ("(", "-", "*", WORD, QUOTED)
_MAX_DEPTH = 200


@dataclass(frozen=True, slots=True)
class Match:
    """A key whose value is a word or matches a pattern."""

    key: str
    word: str
    pattern: re.Pattern[str] | None

    def accepts(self, value: str) -> bool:
        """Return whether the value matches."""
        if self.pattern is not None:
            return self.pattern.search(value) is not None
        return value == self.word


@dataclass(frozen=True, slots=True)
class Operation:
    """Terms combined by "and", "or" or "not" (of one term); no terms of "and": everything."""

    operator: str
    terms: tuple["Filter", ...]


Filter = Match | Operation


def parse_filter(text: str) -> Filter:
    """Return the filter of an expression. Raises ExpressionError."""
    tokens = Tokens(text)
    result = _alternatives(tokens, 0)
    tokens.check_end()
    return result


def _alternatives(tokens: Tokens, depth: int) -> Filter:
    terms = [_conjunction(tokens, depth)]
    while tokens.peek().kind == OR:
        tokens.take()
        terms.append(_conjunction(tokens, depth))
    return terms[0] if len(terms) == 1 else Operation("or", tuple(terms))


def _conjunction(tokens: Tokens, depth: int) -> Filter:
    terms = [_term(tokens, depth)]
    while True:
        token = tokens.peek()
        if token.kind == AND:
            tokens.take()
        elif token.kind in _TERM_STARTS:
            terms.append(_term(tokens, depth))
        elif token.kind in (")", OR, END):
            return terms[0] if len(terms) == 1 else Operation("and", tuple(terms))
        else:
            raise tokens.error(token.offset, f'unexpected "{token.text}"')


def _term(tokens: Tokens, depth: int) -> Filter:
    start = tokens.peek()
    if depth > _MAX_DEPTH:
        raise tokens.error(start.offset, "too many nested terms")
    if start.kind == "(":
        tokens.take()
        inner = _alternatives(tokens, depth + 1)
        if tokens.peek().kind != ")":
            raise tokens.error(tokens.peek().offset, 'missing ")"')
        tokens.take()
        return inner
    if start.kind == "-":
        tokens.take()
        return Operation("not", (_term(tokens, depth + 1),))
    if start.kind == "*":
        tokens.take()
        return Operation("and", ())
    if start.kind in (WORD, QUOTED):
        return _key_value(tokens, tokens.take())
    raise tokens.error(start.offset, "expected key:value or subexpression")


def _key_value(tokens: Tokens, key: Token) -> Filter:
    if tokens.take().kind != ":":
        raise tokens.error(key.offset, "expected key:value")
    if key.text in ("", ".config"):
        message = ".config is only allowed in projections" if key.text else "key must not be empty"
        raise tokens.error(key.offset, message)
    value = tokens.take(patterns=True)
    if value.kind in (WORD, QUOTED, PATTERN):
        return Match(key.text, value.text, value.pattern)
    if value.kind != "(":
        raise tokens.error(key.offset, "expected key:value")
    terms: list[Filter] = []
    while True:
        value = tokens.take(patterns=True)
        if value.kind not in (WORD, QUOTED, PATTERN):
            raise tokens.error(value.offset, "expected value")
        terms.append(Match(key.text, value.text, value.pattern))
        separator = tokens.take(patterns=True)
        if separator.kind == ")":
            return Operation("or", tuple(terms))
        if separator.kind != OR:
            raise tokens.error(separator.offset, "value list must be separated by OR")


def matching_series(results: BenchmarkResults, condition: Filter) -> "Mask":
    """Return for each series whether the filter accepts it."""
    import numpy as np  # noqa: PLC0415

    if isinstance(condition, Match):
        return _matches(results, condition)
    masks = [matching_series(results, term) for term in condition.terms]
    if condition.operator == "not":
        return ~masks[0]
    everything = np.full(results.series_count, condition.operator == "and")
    combine = np.logical_and if condition.operator == "and" else np.logical_or
    for mask in masks:
        everything = combine(everything, mask)
    return everything


def _matches(results: BenchmarkResults, match: Match) -> "Mask":
    import numpy as np  # noqa: PLC0415

    if match.key == ".unit":
        accepted = np.array([match.accepts(unit) for unit in results.units], dtype=bool)
        as_written = accepted[results.columns["original_unit"]]
        by_unit: Mask = np.logical_or(accepted[results.units_of_series()], as_written)
        return by_unit
    texts = field_texts(results, match.key)
    accepted = np.array([match.accepts(text) for text in texts], dtype=bool)
    matches: Mask = accepted[series_ids(results, match.key)]
    return matches
