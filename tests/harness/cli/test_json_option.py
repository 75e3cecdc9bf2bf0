"""The option --json has one text in all commands."""

import importlib
from pathlib import Path

import click

import harness.commands
from harness.cli.json_option import json_option
from tests.harness.cli.parsed_options import parsed


def test_it_is_a_flag() -> None:
    assert parsed(json_option) == {"as_json": False}
    assert parsed(json_option, "--json") == {"as_json": True}


def test_all_commands_describe_it_in_the_same_words() -> None:
    modules = sorted(path.stem for path in Path(harness.commands.__path__[0]).glob("[a-z]*.py"))
    texts = {
        option.help
        for module in modules
        for option in importlib.import_module(f"harness.commands.{module}").command.params
        if isinstance(option, click.Option) and "--json" in option.opts and module != "serve"
    }
    assert texts == {"Print one JSON document instead of text."}
