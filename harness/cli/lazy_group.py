"""A command group that lists its commands from a table and imports a command on first use."""

import importlib
import keyword
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


ARGUMENTS = "stallscope.arguments"  # key of the context's meta


class LazyGroup(click.Group):
    """A group whose commands are modules, each of which defines ``command``.

    ``table`` holds the short help of each command by its name, in the order of the help;
    ``module`` is the pattern of module names, such as ``harness.commands.{}``.
    """

    def __init__(self, *, table: Mapping[str, str], module: str, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.table = table
        self.module = module

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the command names in the order of the help."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command of that name, which is imported now; None if there is none."""
        if cmd_name not in self.table:
            return None
        name = cmd_name.replace("-", "_")
        name += "_" if keyword.iskeyword(name) else ""  # import
        module = importlib.import_module(self.module.format(name))
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands from the table, importing nothing."""
        if self.table:
            with formatter.section("Commands"):
                formatter.write_dl(list(self.table.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list["CompletionItem"]:
        """Return the names that complete a word, with the help of the table, importing nothing."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only for completion

        names = [name for name in self.table if name.startswith(incomplete)]
        items = [CompletionItem(name, help=self.table[name]) for name in names]
        # The method of a plain command completes the options of the group itself.
        return items + click.Command.shell_complete(self, ctx, incomplete)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the arguments of the whole command line, which a brief document repeats."""
        ctx.meta.setdefault(ARGUMENTS, tuple(args))
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command and its arguments; click.UsageError carries the nearest names."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib  # noqa: PLC0415 - only for a mistyped name

            near = difflib.get_close_matches(args[0], self.table, n=2)
            error.nearest = " or ".join(near)  # type: ignore[attr-defined]
            raise
