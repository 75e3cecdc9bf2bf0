"""Vendors' formulas: a parser, a writer and transformations of expression trees.

The language is that of Intel, AMD and Arm: numbers, names of events and of other formulas,
``+ - * /``, comparisons, ``&`` and ``|``, ``A if C else B``, and the calls ``min``, ``max`` and
``d_ratio`` (0 if the divisor is 0). Formulas never reach Python's ``eval``, because a model file is
untrusted data.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from stallscope.errors import UnableError

MAX_CHARS = 20_000  # characters; the longest published formula has about 2,000
MAX_DEPTH = 100  # nested parentheses, calls and choices
MAX_OPERANDS = 200  # in a chain such as A + B - C

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))"
    r"|(?P<name>[A-Za-z0-9_][\w.]*(?::\w+(?:=\w+)?)*)"
    r"|(?P<sign><=|>=|==|!=|[-+*/()<>&|,]))"
)
# From the lowest precedence to the highest, as in Python; a conditional has the lowest of all.
_LEVELS = (("|",), ("&",), ("<", ">", "<=", ">=", "==", "!="), ("+", "-"), ("*", "/"))
_ARITIES = {"min": (1, 16), "max": (1, 16), "d_ratio": (2, 2)}


class FormulaError(UnableError):
    """A formula with a syntax error."""


@dataclass(frozen=True, slots=True)
class NumberLiteral:
    """A constant."""

    value: float


@dataclass(frozen=True, slots=True)
class Name:
    """The name of an event, a formula or a flag such as ``smt_on``."""

    text: str


@dataclass(frozen=True, slots=True)
class Negative:
    """``-operand``."""

    operand: "Expression"


@dataclass(frozen=True, slots=True)
class BinaryOperation:
    """``left sign right``."""

    sign: str
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True)
class Conditional:
    """``then if condition else otherwise``."""

    condition: "Expression"
    then: "Expression"
    otherwise: "Expression"


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """``function(arguments)``."""

    function: str
    arguments: tuple["Expression", ...]


Expression = NumberLiteral | Name | Negative | BinaryOperation | Conditional | FunctionCall


def parse(text: str) -> Expression:
    """Return the tree of a formula. Raises FormulaError with the position of an error."""
    if len(text) > MAX_CHARS:
        raise FormulaError(f"a formula has {len(text)} characters; the limit is {MAX_CHARS}")
    parser = _Parser(text)
    tree = parser.choice()
    parser.end()
    return tree


class _Parser:
    """A recursive-descent parser of one formula."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(_tokens(text))
        self._position = 0
        self._depth = 0

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._position] if self._position < len(self._tokens) else ("end", "")

    def _next(self) -> tuple[str, str]:
        token = self._peek()
        self._position += 1
        return token

    def _expect(self, expected: str) -> None:
        kind, token = self._next()
        if kind == "number" or token != expected:
            raise self._error(f"expected {expected!r} before {token or 'the end'!r}")

    def _error(self, problem: str) -> FormulaError:
        return FormulaError(f"formula {self._text[:200]!r}: {problem}")

    def end(self) -> None:
        """Raise FormulaError if tokens remain."""
        kind, token = self._peek()
        if kind != "end":
            raise self._error(f"unexpected {token!r} after the end")

    def choice(self) -> Expression:
        """Return ``A if C else B``, or an expression of higher precedence."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._error(f"nested deeper than {MAX_DEPTH}")
        then = self._binary(0)
        if self._peek() == ("name", "if"):
            self._next()
            condition = self._binary(0)
            self._expect("else")
            then = Conditional(condition, then, self.choice())
        self._depth -= 1
        return then

    def _binary(self, level: int) -> Expression:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        chain = 1
        while self._peek()[0] == "sign" and self._peek()[1] in _LEVELS[level]:
            sign = self._next()[1]
            left = BinaryOperation(sign, left, self._binary(level + 1))
            chain += 1
            if chain > MAX_OPERANDS:
                raise self._error(f"more than {MAX_OPERANDS} operands in a chain")
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
            return NumberLiteral(float(text))
        if (kind, text) == ("sign", "("):
            inner = self.choice()
            self._expect(")")
            return inner
        if kind != "name" or text in ("if", "else"):
            raise self._error(f"expected a value instead of {text or 'the end'!r}")
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
        low, high = _ARITIES[function]
        if not low <= len(arguments) <= high:
            raise self._error(f"{function} with {len(arguments)} arguments")
        return FunctionCall(function, tuple(arguments))


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            raise FormulaError(f"formula {text[:200]!r}: unknown token at offset {position}")
        position = match.end()
        yield str(match.lastgroup), match[str(match.lastgroup)]


def written(tree: Expression) -> str:
    """Return a formula's text with minimal parentheses; parse() returns an equal tree."""
    return _written(tree, -1)


def _written(tree: Expression, outer: int) -> str:
    match tree:
        case NumberLiteral(value):
            return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
        case Name(text):
            return text
        case Negative(operand):
            return f"-{_written(operand, len(_LEVELS))}"
        case FunctionCall(function, arguments):
            return f"{function}({', '.join(_written(argument, -1) for argument in arguments)})"
        case Conditional(condition, then, otherwise):
            text = f"{_written(then, 0)} if {_written(condition, 0)} else {_written(otherwise, -1)}"
            return f"({text})" if outer >= 0 else text
        case BinaryOperation(sign, left, right):
            level = next(number for number, signs in enumerate(_LEVELS) if sign in signs)
            text = f"{_written(left, level)} {sign} {_written(right, level + 1)}"
            return f"({text})" if outer > level else text


def names(tree: Expression) -> set[str]:
    """Return all names in a formula, in every branch of its conditionals."""
    match tree:
        case NumberLiteral():
            return set()
        case Name(text):
            return {text}
        case Negative(operand):
            return names(operand)
        case BinaryOperation(_, left, right):
            return names(left) | names(right)
        case Conditional(condition, then, otherwise):
            return names(condition) | names(then) | names(otherwise)
        case FunctionCall(_, arguments):
            return set().union(*(names(argument) for argument in arguments))


def renamed(tree: Expression, rename: Callable[[str], str]) -> Expression:
    """Return the formula with each name replaced."""
    match tree:
        case NumberLiteral():
            return tree
        case Name(text):
            return Name(rename(text))
        case Negative(operand):
            return Negative(renamed(operand, rename))
        case BinaryOperation(sign, left, right):
            return BinaryOperation(sign, renamed(left, rename), renamed(right, rename))
        case Conditional(condition, then, otherwise):
            return Conditional(
                renamed(condition, rename), renamed(then, rename), renamed(otherwise, rename)
            )
        case FunctionCall(function, arguments):
            return FunctionCall(
                function, tuple(renamed(argument, rename) for argument in arguments)
            )


def resolved(tree: Expression, flags: dict[str, bool]) -> Expression:
    """Return the formula with conditions on flags resolved, so that unused names disappear."""
    match tree:
        case NumberLiteral() | Name():
            return tree
        case Negative(operand):
            return Negative(resolved(operand, flags))
        case BinaryOperation(sign, left, right):
            return BinaryOperation(sign, resolved(left, flags), resolved(right, flags))
        case Conditional(Name(flag), then, otherwise) if flag in flags:
            return resolved(then if flags[flag] else otherwise, flags)
        case Conditional(condition, then, otherwise):
            return Conditional(
                resolved(condition, flags), resolved(then, flags), resolved(otherwise, flags)
            )
        case FunctionCall(function, arguments):
            return FunctionCall(
                function, tuple(resolved(argument, flags) for argument in arguments)
            )
