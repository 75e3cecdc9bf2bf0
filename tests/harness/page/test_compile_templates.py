"""Bytecode of templates: written by the build, read at run time, and ignored if it is stale."""

from pathlib import Path

import pytest
from jinja2 import Environment

from harness.page import templates
from harness.page.compile_templates import compile_templates, template_names
from harness.page.templates import InstalledBytecode, environment

HARNESS = Path(__file__).resolve().parents[3] / "harness"
NAME = "harness.page/host.html"


def parsed_templates(monkeypatch: pytest.MonkeyPatch, used: Environment) -> list[str | None]:
    """Return a list to which the names of parsed templates are added."""
    names: list[str | None] = []
    parse = used._parse

    def noted(source: str, name: str | None, filename: str | None):
        names.append(name)
        return parse(source, name, filename)

    monkeypatch.setattr(used, "_parse", noted)
    return names


def test_all_templates_are_compiled_under_the_names_that_modules_use(tmp_path: Path) -> None:
    assert compile_templates(HARNESS, tmp_path) == len(list(HARNESS.rglob("*.html")))
    names = template_names(HARNESS)
    assert {"harness.page/base.html", "harness.page/flame_view/page.html"} <= set(names)
    assert len(list(tmp_path.iterdir())) == len(names)


def test_a_compiled_template_is_not_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_templates(HARNESS, tmp_path)
    used = environment(InstalledBytecode(tmp_path))
    parsed = parsed_templates(monkeypatch, used)
    assert "kernel &lt;" in used.get_template(NAME).render(facts={"kernel <": "x"})
    assert parsed == []


@pytest.mark.parametrize("damage", [b"", b"x", b"truncated"])
def test_a_template_whose_bytecode_is_missing_or_damaged_is_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: bytes
) -> None:
    compile_templates(HARNESS, tmp_path)
    for file in tmp_path.iterdir():
        file.write_bytes(file.read_bytes()[:40] if damage == b"truncated" else damage)
    used = environment(InstalledBytecode(tmp_path))
    parsed = parsed_templates(monkeypatch, used)
    assert "kernel" in used.get_template(NAME).render(facts={"kernel": "x"})
    assert parsed == [NAME]


def test_a_template_that_changed_since_the_build_is_parsed_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_templates(HARNESS, tmp_path)
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    monkeypatch.setattr(templates, "sources", lambda *_: "changed")
    assert environment(InstalledBytecode(tmp_path)).get_template(NAME).render() == "changed"
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before
