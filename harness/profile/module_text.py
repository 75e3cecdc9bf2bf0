"""The modules of a profile, for the terminal."""

from typing import TYPE_CHECKING

import click

from harness.cli.terminal import pad, percent, printable, shorten, width
from harness.profile.module_result import ProfileModule
from stallscope.documents import UnsetType

if TYPE_CHECKING:
    from harness.profile.result import ProfileResult

_KIND_WIDTH = 10


def module_lines(result: "ProfileResult") -> list[str]:
    """Return the table after an empty line; nothing if no modules were requested."""
    if isinstance(result.modules, UnsetType):
        return []
    room = max(20, width() - 20 - _KIND_WIDTH)
    heading = click.style(f"{'self':>7}  {'total':>7}  module", bold=True)
    return ["", heading, *[_line(module, room) for module in result.modules]]


def _line(module: ProfileModule, room: int) -> str:
    name = pad(shorten(printable(module.name), room), room)
    kind = click.style("native" if module.kind == "user" else module.kind, dim=True)
    return f"{_share(module.self_share):>7}  {_share(module.total_share):>7}  {name} {kind}"


def _share(share: float | None) -> str:
    return "n/a" if share is None else percent(share)
