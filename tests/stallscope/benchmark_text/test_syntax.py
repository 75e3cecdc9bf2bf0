import pytest

from stallscope.benchmark_text.syntax import ExpressionError, Tokens


def test_words_quotes_patterns_and_operators_are_distinguished():
    tokens = Tokens('a-b:"x \\"y\\"" -/^[/]/')
    kinds = []
    while (token := tokens.take(patterns=True)).kind:
        kinds.append((token.kind, token.text))
    assert kinds == [
        ("word", "a-b"),
        (":", ":"),
        ("quoted", 'x "y"'),
        ("-", "-"),
        ("pattern", "^[/]"),
    ]


@pytest.mark.parametrize("text", ['"open', "/open", "/(/", "/a/b"])
def test_an_error_marks_its_position(text):
    with pytest.raises(ExpressionError, match="syntax error"):
        Tokens(text).take(patterns=True)
