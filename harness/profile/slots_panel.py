"""Slots by function on the flame page: colours of frames, and a static table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from harness.page.document import fragment
from harness.page.flame_table import Cell, table
from harness.profile.counted import INTERVAL_LABEL, caveats
from harness.profile.slots_text import blend_mark, ipc_text, plain_rows, title
from stallscope.printable import visible_text
from stallscope.quantities import share_text
from topdown.slots.function_slots import MIN_SAMPLES, FunctionSlots, SlotsByFunction
from topdown.slots.measurement import MeasuredNode
from topdown.stacks.flame.names import function_text
from topdown.stacks.profile import Function

FUNCTIONS_SHOWN = 60
_NAME_LIMIT = 300
# Lower bounds of the colours by IPC, which are used without slots.
IPC_BANDS = (0.0, 0.5, 1.0, 2.0)


@dataclass(frozen=True, slots=True)
class _Colouring:
    """What the colours mean: its name, and the categories as (key, text)."""

    name: str
    categories: tuple[tuple[str, str], ...]


def payload(slots: SlotsByFunction, number_of: Mapping[int, int]) -> dict[str, object] | None:
    """Return the slots for the page's script; None if there is nothing to colour frames by.

    ``number_of``: number of a function on the page. A function's entry has its number, its
    category (-1: not known), whether that is by its own samples, and its text.
    """
    colouring = _colouring(slots)
    if colouring is None:
        return None
    keys = [key for key, _ in colouring.categories]
    own = [(1, function) for function in slots.functions if not function.few]
    own_indexes = {function.index for _, function in own}
    called = [(0, function) for function in slots.called if function.index not in own_indexes]
    entries = []
    for is_own, function in [*own, *called]:
        if function.index in number_of:
            key = _category(function)
            category = keys.index(key) if key in keys else -1
            text = function_summary(slots, function)
            entries.append([number_of[function.index], category, is_own, text])
    return {
        "by": colouring.name,
        "title": slots.title,
        "categories": [list(category) for category in colouring.categories],
        "functions": entries,
    }


def _colouring(slots: SlotsByFunction) -> _Colouring | None:
    top = [node for node in slots.total.nodes if node.level == 1]
    if any(node.name.lower() == "retiring" for node in top):
        return _Colouring(
            "Slots", tuple((node.name.lower(), node.name.lower().replace("_", " ")) for node in top)
        )
    if slots.total.ipc is not None:
        texts = ("IPC below 0.5", "0.5 to 1", "1 to 2", "IPC of 2 and more")
        return _Colouring("IPC", tuple((f"ipc_{band}", text) for band, text in enumerate(texts)))
    return None


def _category(function: FunctionSlots) -> str | None:
    if function.dominating is not None:
        return function.dominating.lower()
    if function.ipc is None or function.node("retiring") or function.node("Retiring"):
        return None
    return f"ipc_{sum(function.ipc.value >= bound for bound in IPC_BANDS[1:])}"


def function_summary(slots: SlotsByFunction, function: FunctionSlots) -> str:
    """Return the values of a function in one line."""
    parts = []
    if function.ipc is not None:
        parts.append(f"IPC {function.ipc.value:.2f}")
    parts += [
        f"{title(node.name)} {share_text(node.value / slots.whole)}"
        for node in _top(function)
        if node.value is not None
    ]
    return ", ".join([*parts, f"{function.samples:,} samples"])


def _top(function: FunctionSlots) -> list[MeasuredNode]:
    return [node for node in function.nodes if node.level == 1]


def section(slots: SlotsByFunction | None, functions: Sequence[Function]) -> Markup:
    """Return the panel with the table of functions; empty if nothing was counted."""
    if slots is None:
        return Markup()
    has_ipc = slots.cpu is not None or slots.total.ipc is not None
    markup = (_slots_table if has_ipc else _plain_table)(slots, functions)
    heading = "IPC and slots by function" if slots.cpu else "Counts by function"
    hint = f"measured, by the function's own samples; \u00b1: {INTERVAL_LABEL}"
    if not has_ipc:
        hint = "measured; total: with callees, including the kernel's work for the function"
    if slots.title:
        hint = f"{slots.title}; {hint}"
    return fragment(
        "harness.profile/slots_panel.html",
        heading=heading,
        hint=hint,
        caveats=caveats(slots),
        table=markup,
    )


def _slots_table(slots: SlotsByFunction, functions: Sequence[Function]) -> Markup:
    top = _top(slots.total)
    head = [Cell("Samples", "number"), Cell("IPC", "number")]
    head += [Cell(title(node.name).capitalize(), "number") for node in top]
    head += [Cell("Most slots")] if top else []
    rows = []
    for function in (slots.total, *slots.functions[:FUNCTIONS_SHOWN]):
        few = f"fewer than {MIN_SAMPLES} samples"
        row = [Cell(f"{blend_mark(function)}{function.samples:,}", "number soft")]
        row.append(Cell(few if function.few else ipc_text(function), "number"))
        row += [_node(slots, function.node(node.name)) for node in top]
        if top:
            row.append(
                Cell("\u2013" if function.dominating is None else title(function.dominating))
            )
        rows.append([*row, *_names(functions, function.index)])
    return table([*head, Cell("Function"), Cell("Module")], rows)


def _plain_table(slots: SlotsByFunction, functions: Sequence[Function]) -> Markup:
    heads, *rows = plain_rows(slots)
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


def _node(slots: SlotsByFunction, node: MeasuredNode | None) -> Cell:
    if node is None or node.value is None:
        return Cell("\u2013", "number")
    if node.impossible:
        return Cell(f"! {share_text(node.value / slots.whole)}", "number")
    interval = ""
    if node.interval is not None:
        half = (node.interval.high - node.interval.low) / 2 / slots.whole
        interval = f" \u00b1{100 * half:.1f}"
    return Cell(
        f"{share_text(node.value / slots.whole)}{interval}", "number", node.value / slots.whole
    )
