"""Manual pages: sections of the help, and text in which no character has a meaning in roff."""

import click
import pytest

from harness.cli.man_pages import Edition, escaped, man_pages

EDITION = Edition(version="1.2", date="2026-01-02")
EPILOG = """\b
Examples:
  program show 'a b'

A note."""


@click.group(epilog=EPILOG)
def root() -> None:
    """Do things.

    \b
    .first line
    second line
    """


@root.command("show")
@click.argument("path")
@click.option("--depth", default=3, show_default=True, help="Depth of C:\\ in steps.")
def show(path: str, depth: int) -> None:
    """Show it."""


def test_a_page_for_the_group_and_one_for_each_command() -> None:
    first, second = man_pages(root, EDITION)
    assert [first.file_name, second.file_name] == ["stallscope.1", "stallscope-show.1"]
    assert '.TH "STALLSCOPE-SHOW" 1 "2026-01-02" "stallscope 1.2" "stallscope"' in second.roff
    assert ".BR stallscope (1)" in second.roff
    assert ".BR stallscope\\-show (1)\nShow it.\n" in first.roff


def test_blocks_keep_their_lines_and_examples_are_a_section() -> None:
    page = next(man_pages(root, EDITION)).roff
    assert ".nf\n\\&.first line\nsecond line\n.fi" in page
    assert ".SH EXAMPLES\n.nf\n  program show \\(aqa b\\(aq\n.fi\n.PP\nA note.\n" in page


def test_options_have_their_help_and_default() -> None:
    page = list(man_pages(root, EDITION))[1].roff
    assert ".B \\-\\-depth INTEGER\nDepth of C:\\e in steps." in page
    assert "[default: 3]" in page


@pytest.mark.parametrize(
    ("text", "roff"),
    [
        (".SH X", "\\&.SH X"),
        ("'tis", "\\&\\(aqtis"),
        ("a\\b", "a\\eb"),
        ("--json", "\\-\\-json"),
        ("~/x", "\\(ti/x"),
    ],
)
def test_no_character_has_a_meaning(text: str, roff: str) -> None:
    assert escaped(text) == roff
