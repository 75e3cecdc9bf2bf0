"""The panel on modules of the flame page."""

from markupsafe import Markup

from harness.page.document import fragment
from harness.page.flame_table import Cell, table
from harness.profile.module_result import modules_by_share
from harness.profile.panel import KIND_TEXT
from stallscope.printable import visible_text
from stallscope.quantities import share_text, value_text
from topdown.stacks.profile import FunctionKind, Profile
from topdown.stacks.ranking import rank

MODULES_SHOWN = 60
_NAME_LIMIT = 300
_KIND_TEXT = {**KIND_TEXT, FunctionKind.USER: "native"}


def modules_panel(modules: Profile) -> Markup:
    """Return the panel of a profile grouped by module."""
    ranking = rank(modules)
    whole = max(1, ranking.value)
    modules_of_stacks = modules_by_share(ranking)
    top = modules_of_stacks[:MODULES_SHOWN]
    max_self = max([1, *(row.self_value for row in top)])
    self_head = "Self time" if modules.source.unit == "ns" else "Self value"
    head = [Cell("Self", "number"), Cell("Total", "number"), Cell(self_head, "number")]
    head += [Cell("Module"), Cell("Kind")]
    rows = [
        (
            Cell(share_text(row.self_value / whole), "number", row.self_value / max_self),
            Cell(share_text(row.total_value / whole), "number"),
            Cell(value_text(row.self_value, modules.source.unit), "number"),
            Cell(visible_text(modules.functions[row.index].name, _NAME_LIMIT), "name"),
            Cell(_KIND_TEXT.get(modules.functions[row.index].kind, ""), "soft"),
        )
        for row in top
    ]
    shown, total = len(rows), len(modules_of_stacks)
    hint = f"{shown:,} of {total:,}, by self" if shown < total else f"{total:,}, by self"
    return fragment("harness.profile/modules_panel.html", hint=hint, modules=table(head, rows))
