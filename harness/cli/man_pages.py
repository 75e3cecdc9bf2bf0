"""Manual pages in roff, made of the commands and their help texts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import click

from stallscope.errors import ExitCode

_STATUS = {
    ExitCode.DONE: "The command succeeded.",
    ExitCode.FINDING: "A finding or a regression, if the command was started as a gate.",
    ExitCode.USAGE: "The command line is wrong.",
    ExitCode.UNABLE: "This machine or this user cannot do what the command line requests.",
    ExitCode.TARGET_FAILED: "The command or process under observation failed.",
    ExitCode.UNREADABLE: "A recording is unreadable, empty or over half lost.",
    ExitCode.UNWRITABLE: "The output cannot be written.",
    ExitCode.INTERRUPTED: "The command was interrupted twice.",
}
_VERBATIM = "\b"
# Width of a line of the source in columns, before characters are escaped.
_WIDTH = 72


@dataclass(frozen=True)
class Edition:
    """What is printed at the foot of every page: the version, and the date as YYYY-MM-DD."""

    version: str
    date: str


@dataclass(frozen=True)
class ManPage:
    """One page of section 1: its name without the suffix, and its text in roff."""

    name: str
    roff: str

    @property
    def file_name(self) -> str:
        """Return the name of the file, as man(1) looks for it."""
        return f"{self.name}.1"


def man_pages(root: click.Group, edition: Edition) -> Iterator[ManPage]:
    """Yield a page for the command and for each command below it, in the order of the help."""
    settings = root.context_settings
    yield from _pages(click.Context(root, info_name="stallscope", **settings), edition)


def _pages(context: click.Context, edition: Edition) -> Iterator[ManPage]:
    """Yield the page of a command and those below it."""
    yield ManPage(_page_name(context), _roff(context, edition))
    for child in _children(context):
        yield from _pages(child, edition)


def _children(context: click.Context) -> list[click.Context]:
    """Return the contexts of the commands of a group; none for a command."""
    group = context.command
    if not isinstance(group, click.Group):
        return []
    commands = [(name, group.get_command(context, name)) for name in group.list_commands(context)]
    return [
        click.Context(command, info_name=name, parent=context)
        for name, command in commands
        if command is not None and not command.hidden
    ]


def _page_name(context: click.Context) -> str:
    """Return the name of a page: the words of the command line joined by dashes."""
    return context.command_path.replace(" ", "-")


def _roff(context: click.Context, edition: Edition) -> str:
    """Return a page."""
    name = _page_name(context)
    purpose = context.command.get_short_help_str(limit=1000).rstrip(".")
    lines = [
        '.\\" Made by "stallscope man" of the help texts. Do not edit.',
        f'.TH "{name.upper()}" 1 "{edition.date}" "stallscope {edition.version}" "stallscope"',
        ".SH NAME",
        f"{escaped(name)} \\- {escaped(purpose)}",
        ".SH SYNOPSIS",
        ".nh",
        f".B {escaped(context.command_path)}",
        *(escaped(piece) for piece in context.command.collect_usage_pieces(context)),
        ".hy",
        ".SH DESCRIPTION",
        *_text(context.command.help or ""),
        *_options(context),
        *_commands(context),
        *_epilog(context.command.epilog or ""),
        ".SH EXIT STATUS",
    ]
    for status, meaning in _STATUS.items():
        lines += [".TP", f".B {int(status)}", meaning]
    return "\n".join([*lines, *_see_also(context)]) + "\n"


def _options(context: click.Context) -> list[str]:
    """Return the section of the options, with the help option last."""
    records = [
        record
        for parameter in context.command.get_params(context)
        if isinstance(parameter, click.Option)
        and (record := parameter.get_help_record(context)) is not None
    ]
    if not records:
        return []
    lines = [".SH OPTIONS"]
    for names, help_text in records:
        lines += [".TP", f".B {escaped(names)}", *_text(help_text)]
    return lines


def _commands(context: click.Context) -> list[str]:
    """Return the section of the commands of a group."""
    children = _children(context)
    if not children:
        return []
    lines = [".SH COMMANDS"]
    for child in children:
        lines += [
            ".TP",
            f".BR {escaped(_page_name(child))} (1)",
            escaped(child.command.get_short_help_str(limit=1000)),
        ]
    return lines


def _epilog(epilog: str) -> list[str]:
    """Return the text below the options; a block named "Examples:" becomes a section."""
    lines: list[str] = []
    for paragraph in _paragraphs(epilog):
        title, _, rest = paragraph.removeprefix(_VERBATIM).lstrip("\n").partition("\n")
        if title.strip() == "Examples:":
            lines += [".SH EXAMPLES", ".nf", *_verbatim(rest), ".fi"]
        elif lines:
            lines += [".PP", *_paragraph(paragraph)]
        else:
            lines += [".SH NOTES", *_paragraph(paragraph)]
    return lines


def _see_also(context: click.Context) -> list[str]:
    """Return the section with the pages above."""
    above: list[str] = []
    parent = context.parent
    while parent is not None:
        above.insert(0, f".BR {escaped(_page_name(parent))} (1)")
        parent = parent.parent
    return [".SH SEE ALSO", *_separated(above)] if above else []


def _separated(references: Sequence[str]) -> list[str]:
    """Return references with commas between them."""
    return [f"{reference}," for reference in references[:-1]] + list(references[-1:])


def _text(text: str) -> list[str]:
    """Return a help text: paragraphs that are marked as verbatim keep their lines."""
    lines: list[str] = []
    for paragraph in _paragraphs(text):
        if lines:
            lines.append(".sp")
        lines += _paragraph(paragraph)
    return lines


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a help text, without indentation and what follows a form feed."""
    import inspect  # noqa: PLC0415 - start-up stays light

    shown = inspect.cleandoc(text).partition("\f")[0]
    return [part for part in re.split(r"\n\s*\n", shown) if part.strip()]


def _paragraph(paragraph: str) -> list[str]:
    """Return one paragraph."""
    if paragraph.startswith(_VERBATIM):
        return [".nf", *_verbatim(paragraph.removeprefix(_VERBATIM).lstrip("\n")), ".fi"]
    import textwrap  # noqa: PLC0415 - start-up stays light

    lines = textwrap.wrap(paragraph, _WIDTH, break_long_words=False, break_on_hyphens=False)
    return [escaped(line) for line in lines]


def _verbatim(text: str) -> list[str]:
    """Return lines that keep their line breaks; an empty line becomes space, as lint requires."""
    return [escaped(line.rstrip()) if line.strip() else ".sp" for line in text.splitlines()]


def escaped(text: str) -> str:
    """Return text in which no character has a meaning in roff."""
    shown = (
        text.replace("\\", "\\e").replace("-", "\\-").replace("^", "\\(ha").replace("~", "\\(ti")
    )
    shown = shown.replace("`", "\\(ga").replace("'", "\\(aq")
    return f"\\&{shown}" if shown.startswith((".", "\\(aq")) else shown
