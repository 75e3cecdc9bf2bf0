"""Vendors' formulas: read into a small tree, written back, and turned into plain functions.

The language is what Intel, AMD and Arm publish: numbers, names of events and of other formulas,
``+ - * /``, comparisons, ``&`` and ``|``, ``A if C else B``, and the calls ``min``, ``max`` and
``d_ratio`` (0 where the divisor is 0). Nothing is ever handed to Python's ``eval``: a model file is
data, and may be a stranger's.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from stallscope.errors import UnableError

LONGEST = 20_000  # characters; the longest published formula has about 2,000
DEEPEST = 100  # nested parentheses, calls and choices
LONGEST_CHAIN = 200  # operands joined by signs of one kind, as in A + B - C

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))"
    r"|(?P<name>[A-Za-z0-9_][\w.]*(?::\w+(?:=\w+)?)*)"
    r"|(?P<sign><=|>=|==|!=|[-+*/()<>&|,]))"
)
# From the loosest binding to the tightest, as in Python; a choice binds looser than all.
_LEVELS = (("|",), ("&",), ("<", ">", "<=", ">=", "==", "!="), ("+", "-"), ("*", "/"))
_ARITIES = {"min": (1, 16), "max": (1, 16), "d_ratio": (2, 2)}


class FormulaError(UnableError):
    """A formula that is not written in this language."""


@dataclass(frozen=True, slots=True)
class Number:
    """A constant."""

    value: float


@dataclass(frozen=True, slots=True)
class Name:
    """An event, another formula, or a flag such as ``smt_on``."""

    text: str


@dataclass(frozen=True, slots=True)
class Negative:
    """``-operand``."""

    operand: "Expression"


@dataclass(frozen=True, slots=True)
class Binary:
    """``left sign right``."""

    sign: str
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True)
class Choice:
    """``then if condition else otherwise``."""

    condition: "Expression"
    then: "Expression"
    otherwise: "Expression"


@dataclass(frozen=True, slots=True)
class Call:
    """``function(arguments)``."""

    function: str
    arguments: tuple["Expression", ...]


Expression = Number | Name | Negative | Binary | Choice | Call


def parse(text: str) -> Expression:
    """Return the tree of a formula; FormulaError says what is wrong, and where."""
    if len(text) > LONGEST:
        raise FormulaError(f"a formula of {len(text)} characters: at most {LONGEST} are read")
    parser = _Parser(text)
    tree = parser.choice()
    parser.end()
    return tree


class _Parser:
    """One pass over the tokens of a formula, by recursive descent."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(_tokens(text))
        self._place = 0
        self._depth = 0

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._place] if self._place < len(self._tokens) else ("end", "")

    def _next(self) -> tuple[str, str]:
        token = self._peek()
        self._place += 1
        return token

    def _expect(self, wanted: str) -> None:
        kind, found = self._next()
        if kind == "number" or found != wanted:
            raise self._wrong(f"{wanted!r} is missing before {found or 'the end'!r}")

    def _wrong(self, what: str) -> FormulaError:
        return FormulaError(f"formula {self._text[:200]!r}: {what}")

    def end(self) -> None:
        """Check that nothing is left."""
        kind, found = self._peek()
        if kind != "end":
            raise self._wrong(f"{found!r} stands where it should end")

    def choice(self) -> Expression:
        """Return ``A if C else B``, or what binds tighter."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise self._wrong(f"nested deeper than {DEEPEST}")
        then = self._binary(0)
        if self._peek() == ("name", "if"):
            self._next()
            condition = self._binary(0)
            self._expect("else")
            then = Choice(condition, then, self.choice())
        self._depth -= 1
        return then

    def _binary(self, level: int) -> Expression:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        chain = 1
        while self._peek()[0] == "sign" and self._peek()[1] in _LEVELS[level]:
            sign = self._next()[1]
            left = Binary(sign, left, self._binary(level + 1))
            chain += 1
            if chain > LONGEST_CHAIN:
                raise self._wrong(f"more than {LONGEST_CHAIN} operands in a row")
        return left

    def _unary(self) -> Expression:
        negative = False
        while self._peek() == ("sign", "-"):
            self._next()
            negative = not negative
        operand = self._operand()
        return Negative(operand) if negative else operand

    def _operand(self) -> Expression:
        kind, text = self._next()
        if kind == "number":
            return Number(float(text))
        if (kind, text) == ("sign", "("):
            inner = self.choice()
            self._expect(")")
            return inner
        if kind != "name" or text in ("if", "else"):
            raise self._wrong(f"{text or 'its end'!r} stands where a value should")
        if text in _ARITIES:
            return self._call(text)
        return Name(text)

    def _call(self, function: str) -> Expression:
        self._expect("(")
        arguments = [self.choice()]
        while self._peek() == ("sign", ","):
            self._next()
            arguments.append(self.choice())
        self._expect(")")
        fewest, most = _ARITIES[function]
        if not fewest <= len(arguments) <= most:
            raise self._wrong(f"{function} of {len(arguments)} values")
        return Call(function, tuple(arguments))


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    place, end = 0, len(text.rstrip())
    while place < end:
        found = _TOKEN.match(text, place)
        if found is None:
            raise FormulaError(f"formula {text[:200]!r}: nothing known at offset {place}")
        place = found.end()
        yield str(found.lastgroup), found[str(found.lastgroup)]


def written(tree: Expression) -> str:
    """Return a formula's text with just the parentheses it needs; parse() reads it back equal."""
    return _written(tree, -1)


def _written(tree: Expression, outer: int) -> str:
    match tree:
        case Number(value):
            return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
        case Name(text):
            return text
        case Negative(operand):
            return f"-{_written(operand, len(_LEVELS))}"
        case Call(function, arguments):
            return f"{function}({', '.join(_written(each, -1) for each in arguments)})"
        case Choice(condition, then, otherwise):
            text = f"{_written(then, 0)} if {_written(condition, 0)} else {_written(otherwise, -1)}"
            return f"({text})" if outer >= 0 else text
        case Binary(sign, left, right):
            level = next(place for place, signs in enumerate(_LEVELS) if sign in signs)
            text = f"{_written(left, level)} {sign} {_written(right, level + 1)}"
            return f"({text})" if outer > level else text


def names(tree: Expression) -> set[str]:
    """Return the names a formula may ask for, whichever way its choices go."""
    match tree:
        case Number():
            return set()
        case Name(text):
            return {text}
        case Negative(operand):
            return names(operand)
        case Binary(_, left, right):
            return names(left) | names(right)
        case Choice(condition, then, otherwise):
            return names(condition) | names(then) | names(otherwise)
        case Call(_, arguments):
            return set().union(*(names(each) for each in arguments))


def renamed(tree: Expression, rename: Callable[[str], str]) -> Expression:
    """Return the formula with each name replaced."""
    match tree:
        case Number():
            return tree
        case Name(text):
            return Name(rename(text))
        case Negative(operand):
            return Negative(renamed(operand, rename))
        case Binary(sign, left, right):
            return Binary(sign, renamed(left, rename), renamed(right, rename))
        case Choice(condition, then, otherwise):
            return Choice(
                renamed(condition, rename), renamed(then, rename), renamed(otherwise, rename)
            )
        case Call(function, arguments):
            return Call(function, tuple(renamed(each, rename) for each in arguments))


def settled(tree: Expression, flags: dict[str, bool]) -> Expression:
    """Return the formula with flags' choices made, so that it names only what it will ask for."""
    match tree:
        case Number() | Name():
            return tree
        case Negative(operand):
            return Negative(settled(operand, flags))
        case Binary(sign, left, right):
            return Binary(sign, settled(left, flags), settled(right, flags))
        case Choice(Name(flag), then, otherwise) if flag in flags:
            return settled(then if flags[flag] else otherwise, flags)
        case Choice(condition, then, otherwise):
            return Choice(
                settled(condition, flags), settled(then, flags), settled(otherwise, flags)
            )
        case Call(function, arguments):
            return Call(function, tuple(settled(each, flags) for each in arguments))
