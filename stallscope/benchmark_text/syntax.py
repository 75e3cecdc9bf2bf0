"""Words of filters and projections, as golang.org/x/perf/benchproc/syntax defines them."""

import re
from dataclasses import dataclass

from stallscope.errors import UsageError

WORD, QUOTED, PATTERN, AND, OR, END = "word", "quoted", "pattern", "AND", "OR", ""
_OPERATORS = "():@,"
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|.)", re.DOTALL)


class ExpressionError(UsageError):
    """A filter or projection that cannot be parsed; the message marks the position."""

    def __init__(self, text: str, offset: int, message: str) -> None:
        """Set the expression, the offset of the error in it, and what is wrong."""
        marked = f"syntax error: {message}\n\t{text}\n\t{' ' * offset}^"
        super().__init__(marked, "see the syntax in docs/commands/bench-compare.md")
        self.reason = marked


@dataclass(frozen=True, slots=True)
class Token:
    """A word, pattern or operator; the kind of an operator is its character."""

    kind: str
    text: str
    offset: int
    end: int
    pattern: re.Pattern[str] | None = None


class Tokens:
    """A position in an expression."""

    def __init__(self, text: str) -> None:
        """Start at the beginning of an expression."""
        self.text = text
        self.offset = 0

    def peek(self, *, patterns: bool = False) -> Token:
        """Return the next token without moving; ``patterns``: a slash starts a pattern."""
        offset = self.offset
        while offset < len(self.text) and self.text[offset].isspace():
            offset += 1
        if offset == len(self.text):
            return Token(END, "", offset, offset)
        first = self.text[offset]
        if first in _OPERATORS or first in "-*":
            return Token(first, first, offset, offset + 1)
        if patterns and first == "/":
            return self._pattern(offset)
        if first == '"':
            return self._quoted(offset)
        end = offset
        while end < len(self.text) and not (
            self.text[end].isspace() or self.text[end] in _OPERATORS
        ):
            end += 1
        word = self.text[offset:end]
        return Token(word if word in (AND, OR) else WORD, word, offset, end)

    def take(self, *, patterns: bool = False) -> Token:
        """Return the next token and move behind it."""
        token = self.peek(patterns=patterns)
        self.offset = token.end
        return token

    def error(self, offset: int, message: str) -> ExpressionError:
        """Return the error at an offset."""
        return ExpressionError(self.text, offset, message)

    def check_end(self) -> None:
        """Raise ExpressionError unless this is the end."""
        token = self.peek()
        if token.kind != END:
            raise self.error(token.offset, f'unexpected "{token.text}"')

    def _quoted(self, offset: int) -> Token:
        end = offset + 1
        while end < len(self.text) and (self.text[end] != '"' or self.text[end - 1] == "\\"):
            end += 1
        if end == len(self.text):
            raise self.error(offset, "missing end quote")
        try:
            word = _ESCAPE.sub(_unescaped, self.text[offset + 1 : end])
        except (KeyError, ValueError, OverflowError):
            raise self.error(offset, "bad escape sequence") from None
        return Token(QUOTED, word, offset, end + 1)

    def _pattern(self, offset: int) -> Token:
        brackets = parentheses = 0
        end = offset + 1
        while end < len(self.text) and (brackets or parentheses or self.text[end] != "/"):
            character = self.text[end]
            if character == "[":
                brackets += 1
            elif character == "]":
                brackets = max(0, brackets - 1)
            elif character == "(" and not brackets:
                parentheses += 1
            elif character == ")" and not brackets:
                parentheses -= 1
            end += 2 if character == "\\" else 1
        if end >= len(self.text):
            raise self.error(offset, 'missing close "/"')
        source = self.text[offset + 1 : end]
        try:
            pattern = re.compile(source)
        except re.error as error:
            raise self.error(offset, f"error parsing regexp: {error}") from error
        following = self.text[end + 1 : end + 2]
        if following and not (following.isspace() or following in _OPERATORS + "-*"):
            raise self.error(
                end + 1, 'regexp must be followed by space or an operator (unescaped "/"?)'
            )
        return Token(PATTERN, source, offset, end + 1, pattern)


def _unescaped(match: re.Match[str]) -> str:
    sequence = match[1]
    if sequence[0] in "uU" and len(sequence) > 1:
        return chr(int(sequence[1:], 16))
    if sequence[0] == "x" and len(sequence) > 1:
        return bytes([int(sequence[1:], 16)]).decode("utf-8", "surrogateescape")
    if len(sequence) == 3:
        return bytes([int(sequence, 8)]).decode("utf-8", "surrogateescape")
    return sequence if sequence in '\\"' else _ESCAPES[sequence]
