"""Which targets and sampling options contradict each other."""

from pathlib import Path
from typing import Any

import click
import pytest

from harness.cli.recording_options import Pids, choice, collector_options
from stallscope.errors import UsageError

NOTHING: dict[str, Any] = {
    "pids": (), "words": (), "system_wide": False, "cpus": "", "cgroup": "", "duration": None,
}  # fmt: skip
SAMPLING: dict[str, Any] = {
    "event": "", "counted": "", "slots": False, "frequency_hz": None, "period": None,
    "stacks": "auto", "stack_bytes": None, "python": "auto", "scope": None, "output": None,
    "force": False, "max_size_mib": 1024,
}  # fmt: skip


@pytest.mark.parametrize("text", ["0", "x", "1,,2", "1 2", "-1", str(2**31), "1,"])
def test_a_process_id_is_a_positive_number(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is not a process id"):
        Pids().convert(text, None, None)
    assert Pids().convert("0012,3", None, None) == (12, 3)


@pytest.mark.parametrize(
    "values", [{}, {"pids": ((1,),), "system_wide": True}, {"cpus": "0", "cgroup": "/x"}]
)
def test_exactly_one_target_is_named(values: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="name exactly one target"):
        choice(NOTHING | values)


def test_process_ids_as_words_are_a_forgotten_comma() -> None:
    with pytest.raises(UsageError, match="separate process ids with commas") as error:
        choice(NOTHING | {"pids": ((1, 2),), "words": ("3",)})
    assert "-p 1,2,3" in error.value.remedy


def test_a_command_is_observed_to_its_end_and_other_targets_for_ten_seconds() -> None:
    assert choice(NOTHING | {"words": ("true",)}).duration_s is None
    assert choice(NOTHING | {"pids": ((7,), (7, 8))}).duration_s == 10
    assert choice(NOTHING | {"pids": ((7,), (7, 8))}).pids == (7, 8)
    assert choice(NOTHING | {"system_wide": True, "duration": 0}).duration_s is None


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"frequency_hz": 99, "period": 5}, "-F and -c exclude each other"),
        ({"slots": True, "event": "cycles"}, "--slots chooses the events"),
        ({"stack_bytes": 1001}, "not a multiple of 8"),
        ({"stack_bytes": 1024, "stacks": "fp"}, "--stack-bytes has no effect"),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    values: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        collector_options(NOTHING | SAMPLING | {"words": ("true",)} | values)


def test_the_default_directory_is_named_after_the_target() -> None:
    values = NOTHING | SAMPLING | {"words": ("/bin/a b;$c",), "counted": "x,,y"}
    options = collector_options(values)
    assert options.output.name.startswith("stallscope-abc-")
    assert options.counted == ("x", "y")
    named = collector_options(values | {"output": Path("run")})
    assert named.output == Path("run")
