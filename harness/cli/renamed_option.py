"""An option with former names, which stay valid and which no help text lists."""

from collections.abc import Sequence
from typing import Any

import click


class RenamedOption(click.Option):
    """An option that also accepts the names in ``former``."""

    def __init__(self, *arguments: Any, former: Sequence[str], **settings: Any) -> None:
        """Take the settings of click.Option, and the former names."""
        super().__init__(*arguments, **settings)
        self.former = list(former)

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Add the option under its name and its former names."""
        current = self.opts
        self.opts = [*current, *self.former]
        try:
            super().add_to_parser(parser, ctx)
        finally:
            self.opts = current
