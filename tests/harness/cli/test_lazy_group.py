"""A group imports a command when it is used, and not for its help."""

import sys

import click
import pytest

from harness.cli.lazy_group import LazyGroup

TABLE = {"show": "Show it.", "two-words": "Do it."}


@pytest.fixture
def group(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> LazyGroup:
    """Return a group whose commands are modules of a temporary package."""
    folder = tmp_path / "lazy_commands"  # type: ignore[operator]
    folder.mkdir()
    for name in ("show", "two_words"):
        (folder / f"{name}.py").write_text(
            f"import click\n@click.command()\ndef command():\n    click.echo('{name} ran')\n"
        )
        monkeypatch.delitem(sys.modules, f"lazy_commands.{name}", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    return LazyGroup(name="group", table=TABLE, module="lazy_commands.{}")


def test_the_help_imports_no_command(group: LazyGroup, capsys: pytest.CaptureFixture[str]) -> None:
    group.main(["--help"], standalone_mode=False)
    shown = capsys.readouterr().out
    assert "show       Show it." in shown
    assert "lazy_commands.show" not in sys.modules


def test_a_command_is_imported_and_a_dash_is_an_underscore_in_its_module(
    group: LazyGroup, capsys: pytest.CaptureFixture[str]
) -> None:
    group.main(["two-words"], standalone_mode=False)
    assert capsys.readouterr().out == "two_words ran\n"
    assert "lazy_commands.show" not in sys.modules


def test_an_unknown_name_carries_the_nearest_names(group: LazyGroup) -> None:
    with pytest.raises(click.UsageError) as raised:
        group.main(["shows"], standalone_mode=False)
    assert raised.value.nearest == "show"  # type: ignore[attr-defined]


def test_completion_has_the_names_and_help_of_the_table_and_imports_no_command(
    group: LazyGroup,
) -> None:
    items = group.shell_complete(click.Context(group), "t")
    assert [(item.value, item.help) for item in items] == [("two-words", "Do it.")]
    assert "lazy_commands.two_words" not in sys.modules
    assert [item.value for item in group.shell_complete(click.Context(group), "--h")] == ["--help"]
