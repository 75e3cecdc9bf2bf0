"""Tools: typed arguments, and commands that no argument can turn into another command."""

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.cli.command_line import group
from harness.mcp.tools import TOOLS, command_words, parse_arguments, recordings_of
from stallscope.errors import UsageError

CALLS = {
    "record": {"pid": 7, "duration_s": 2},
    "diagnose": {"recording": "a"},
    "top_functions": {"recording": "a"},
    "callers": {"recording": "a", "function": "main"},
    "source_lines": {"recording": "a"},
    "diff": {"before": "a", "after": "b"},
}


def words_of(tool: str, **values: object) -> list[str]:
    return command_words(parse_arguments(TOOLS[tool], values), tool, "new")


@pytest.mark.parametrize("tool", TOOLS)
def test_a_call_is_one_command_with_a_brief_answer(tool: str) -> None:
    jsonschema.validate(CALLS[tool], TOOLS[tool].input_schema())
    words = words_of(tool, **CALLS[tool])
    assert "--brief" in words
    command = group.get_command(None, words[0])  # type: ignore[arg-type]
    assert command is not None
    command.make_context(words[0], words[1:])


def test_record_attaches_for_a_bounded_time_and_size() -> None:
    words = words_of("record", pid=7, duration_s=2.5)
    assert words[:4] == ["record", "--waits", "-p", "7"]
    assert words[words.index("-d") + 1] == "2.5"
    assert words[-3:] == ["-o", "new", "--brief"]
    assert "--max-size" in words
    assert "--force" not in words


@pytest.mark.parametrize(
    ("tool", "values"),
    [
        ("record", {"pid": 0}),
        ("record", {"pid": "1"}),
        ("record", {"pid": 1, "duration_s": 1e9}),
        ("record", {"pid": 1, "name": "../outside"}),
        ("record", {"pid": 1, "name": "/tmp/outside"}),
        ("record", {"pid": 1, "command": ["id"]}),
        ("diagnose", {"recording": "a/b"}),
        ("diagnose", {"recording": ".."}),
        ("diagnose", {"recording": "-o"}),
        ("diagnose", {"recording": "a\n"}),
        ("callers", {"recording": "a", "function": ""}),
        ("diff", {"before": "a"}),
    ],
)
def test_arguments_out_of_range_are_refused(tool: str, values: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=f"^{tool}: "):
        parse_arguments(TOOLS[tool], values)


@given(st.text(min_size=1))
def test_a_function_name_is_never_an_option(function: str) -> None:
    words = words_of("callers", recording="a", function=function)
    assert words == ["callers", "--brief", "--", "a", function]


def test_the_recordings_of_a_call_are_checked() -> None:
    named = {
        tool: recordings_of(parse_arguments(TOOLS[tool], values)) for tool, values in CALLS.items()
    }
    assert named.pop("record") == ()
    assert named.pop("diff") == ("a", "b")
    assert set(named.values()) == {("a",)}
