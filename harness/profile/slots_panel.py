"""Slots by function on the flame page: what colours frames, and the table that needs no script."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.page.document import escaped
from harness.page.flame_table import Cell, table
from harness.profile.slots_text import (
    INTERVAL_LABEL,
    LEAST_SAME_SHARE,
    cautions,
    ipc_text,
    plain_rows,
    title,
)
from stallscope.printable import visible_text
from stallscope.quantities import share_text
from topdown.slots.function_slots import MIN_SAMPLES, FunctionSlots, SlotsByFunction
from topdown.slots.measurement import MeasuredNode
from topdown.stacks.flame.names import function_text
from topdown.stacks.profile import Function

FUNCTIONS_SHOWN = 60
_NAME_LIMIT = 300
# Without slots, IPC colours: from these on, up to the next.
IPC_BANDS = (0.0, 0.5, 1.0, 2.0)


@dataclass(frozen=True, slots=True)
class _Colouring:
    """What frames are coloured by: its name, and the categories as (key, text)."""

    name: str
    categories: tuple[tuple[str, str], ...]


def payload(found: SlotsByFunction, number_of: Mapping[int, int]) -> dict[str, object] | None:
    """Return what the page's script knows of slots; None if nothing can colour a frame.

    ``number_of``: the page's number of each function that is on it. Each function has its number,
    its category (-1: not known), whether that is by its own samples, and the text about it.
    """
    colouring = _colouring(found)
    if colouring is None:
        return None
    keys = [key for key, _ in colouring.categories]
    own = [each for each in found.functions if not each.few]
    told = {each.index for each in own}
    called = [each for each in found.called if each.index not in told]
    of = []
    for is_own, each in [*((1, each) for each in own), *((0, each) for each in called)]:
        if each.index in number_of:
            key = _category(each)
            category = keys.index(key) if key in keys else -1
            of.append([number_of[each.index], category, is_own, function_text_of(found, each)])
    return {
        "by": colouring.name,
        "title": found.title,
        "categories": [list(each) for each in colouring.categories],
        "functions": of,
    }


def _colouring(found: SlotsByFunction) -> _Colouring | None:
    top = [node for node in found.total.nodes if node.level == 1]
    if any(node.name.lower() == "retiring" for node in top):
        return _Colouring(
            "Slots", tuple((node.name.lower(), node.name.lower().replace("_", " ")) for node in top)
        )
    if found.total.ipc is not None:
        texts = ("IPC below 0.5", "0.5 to 1", "1 to 2", "IPC of 2 and more")
        return _Colouring("IPC", tuple((f"ipc_{at}", text) for at, text in enumerate(texts)))
    return None


def _category(each: FunctionSlots) -> str | None:
    if each.dominating is not None:
        return each.dominating.lower()
    if each.ipc is None or each.node("retiring") or each.node("Retiring"):
        return None
    return f"ipc_{sum(each.ipc.value >= bound for bound in IPC_BANDS[1:])}"


def function_text_of(found: SlotsByFunction, each: FunctionSlots) -> str:
    """Return what is said of a function in one line."""
    parts = []
    if each.ipc is not None:
        parts.append(f"IPC {each.ipc.value:.2f}")
    parts += [
        f"{title(node.name)} {share_text(node.value / found.whole)}"
        for node in _top(each)
        if node.value is not None
    ]
    return ", ".join([*parts, f"{each.samples:,} samples"])


def _top(each: FunctionSlots) -> list[MeasuredNode]:
    return [node for node in each.nodes if node.level == 1]


def section(found: SlotsByFunction | None, functions: Sequence[Function]) -> str:
    """Return the panel with the table of functions; empty if nothing was counted."""
    if found is None:
        return ""
    told = found.cpu is not None or found.total.ipc is not None
    made = (_slots_table if told else _plain_table)(found, functions)
    what = "IPC and slots by function" if found.cpu else "Counts by function"
    hint = f"measured, by each function's own samples; \u00b1: {INTERVAL_LABEL}"
    if not told:
        hint = "measured; total: with what the function called, the kernel's work for it included"
    if found.title:
        hint = f"{found.title}; {hint}"
    notes = "".join(f'<p class="hint padded">{escaped(text)}</p>' for text in cautions(found))
    return (
        '<section class="panel" id="by-function" aria-labelledby="by-function-title">'
        f'<div class="panel-head"><h2 id="by-function-title">{what}</h2>'
        f'<p class="hint">{escaped(hint)}</p></div>{notes}'
        f'<div class="scroll">{made}</div></section>'
    )


def _slots_table(found: SlotsByFunction, functions: Sequence[Function]) -> str:
    top = _top(found.total)
    head = [Cell("Samples", "number"), Cell("IPC", "number")]
    head += [Cell(title(node.name).capitalize(), "number") for node in top]
    head += [Cell("Most slots")] if top else []
    rows = []
    for each in (found.total, *found.functions[:FUNCTIONS_SHOWN]):
        mark = "~" if each.same_share < LEAST_SAME_SHARE else ""
        few = f"fewer than {MIN_SAMPLES} samples"
        row = [Cell(f"{mark}{each.samples:,}", "number soft")]
        row.append(Cell(few if each.few else ipc_text(each), "number"))
        row += [_node(found, each.node(node.name)) for node in top]
        if top:
            row.append(Cell("\u2013" if each.dominating is None else title(each.dominating)))
        rows.append([*row, *_names(functions, each.index)])
    return table([*head, Cell("Function"), Cell("Module")], rows)


def _plain_table(found: SlotsByFunction, functions: Sequence[Function]) -> str:
    heads, *rows = plain_rows(found)
    head = [Cell(text, "number") for text in heads.cells]
    body = [
        [*(Cell(text, "number") for text in row.cells), *_names(functions, row.index)]
        for row in rows[: FUNCTIONS_SHOWN + 1]
    ]
    return table([*head, Cell("Function"), Cell("Module")], body)


def _names(functions: Sequence[Function], index: int) -> list[Cell]:
    if index < 0:
        return [Cell("all", "name"), Cell("", "module")]
    function = functions[index]
    return [
        Cell(function_text(function.name, _NAME_LIMIT), "name"),
        Cell(visible_text(function.module, _NAME_LIMIT), "module"),
    ]


def _node(found: SlotsByFunction, node: MeasuredNode | None) -> Cell:
    if node is None or node.value is None:
        return Cell("\u2013", "number")
    if node.impossible:
        return Cell(f"! {share_text(node.value / found.whole)}", "number")
    reach = ""
    if node.interval is not None:
        half = (node.interval.high - node.interval.low) / 2 / found.whole
        reach = f" \u00b1{100 * half:.1f}"
    return Cell(
        f"{share_text(node.value / found.whole)}{reach}", "number", node.value / found.whole
    )
