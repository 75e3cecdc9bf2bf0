"""Modules for the terminal."""

from pathlib import Path

import click
from msgspec.structs import replace

from harness.profile.module_text import module_lines
from harness.profile.result import profile_result
from tests.harness.profile.grouped_profiles import analysis_with_modules


def test_modules_are_lines_with_escaped_names() -> None:
    result = profile_result(analysis_with_modules(), recording=Path("run"), report=None)
    lines = [click.unstyle(line) for line in module_lines(result)]
    assert "module" in lines[1]
    assert lines[2].split() == ["60.0", "%", "100.0", "%", "java.util", "java"]
    assert lines[3].split()[-2:] == ["<b>\\x1b.so", "native"]


def test_a_profile_without_modules_has_no_lines() -> None:
    analysis = replace(analysis_with_modules(), modules=None)
    assert module_lines(profile_result(analysis, recording=Path("run"), report=None)) == []
