"""Markup is written in templates, which escape every value, and not in Python."""

import re
from pathlib import Path

import pytest

HARNESS = Path(__file__).resolve().parents[3] / "harness"
ELEMENT = re.compile(
    r"""['"]\s*</?(?:p|div|span|section|table|tr|td|th|h[1-6]|svg|ul|li|g|rect|text|figure)[ >/]"""
)
FOLDERS = ("io", "labs", "load", "page", "demo", "cstates", "topdown")


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_module_builds_markup(folder: str) -> None:
    modules = [
        path for path in (HARNESS / folder).rglob("*.py") if ELEMENT.search(path.read_text())
    ]
    assert modules == []


def test_every_template_of_a_panel_uses_the_escaping_environment() -> None:
    for template in HARNESS.rglob("*.html"):
        text = template.read_text()
        assert "|safe" not in text, template
        assert "autoescape" not in text, template
