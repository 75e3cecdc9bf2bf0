"""Options of commands with the reference server: code paths, batches, lengths."""

import click
import pytest

from harness.cli.workload_options import (
    SERVED_PATHS,
    batch_options,
    connections_option,
    path_option,
    pipeline_option,
    run_length_option,
    stages_option,
)
from tests.harness.cli.parsed_options import Decorator, parsed


def test_values_in_files_are_a_code_path_of_a_server_only() -> None:
    assert parsed(path_option("kv", paths=SERVED_PATHS), "--path", "disk") == {"path": "disk"}
    with pytest.raises(click.BadParameter):
        parsed(path_option("kv"), "--path", "disk")


@pytest.mark.parametrize(
    ("option", "default"),
    [
        (stages_option(), {"stages": "on"}),
        (pipeline_option(16), {"pipeline": 16}),
        (connections_option(), {"connections": 64}),
        (run_length_option(2.5), {"duration_s": 2.5}),
        (batch_options, {"stage_kb": None, "footprint_kb": None, "max_batch": None}),
    ],
)
def test_options_have_defaults(option: Decorator, default: dict[str, object]) -> None:
    assert parsed(option) == default


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (stages_option(), ("--stages", "maybe")),
        (pipeline_option(1), ("-P", "0")),
        (batch_options, ("--max-batch", "0")),
        (run_length_option(1), ("--duration", "0.1")),
    ],
)
def test_values_out_of_bounds_are_refused(option: Decorator, words: tuple[str, str]) -> None:
    with pytest.raises(click.BadParameter):
        parsed(option, *words)
