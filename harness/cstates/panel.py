"""Panels of sleep states: what a machine tells of its own, and what governors would choose."""

from collections.abc import Iterable, Sequence

from cstates.observation import Observation, groups
from cstates.simulation.replay import Machine, SimulatedRow
from cstates.simulation.trace import Trace
from harness.cstates.show.rows import (
    HEADS,
    StateRow,
    facts,
    group_facts,
    group_name,
    span_text,
    state_rows,
)
from harness.cstates.simulate import text as simulate_table
from harness.page.document import escaped

FOLDER = "harness.cstates"
STYLES = ("cstates.css",)


def states_panel(observation: Observation) -> str:
    """Return the panel's markup: the rows of the table, everything escaped."""
    body = [facts_list(facts(observation)), f"<p>{escaped(span_text(observation))}</p>"]
    for group in groups(observation):
        body.append(f"<h3>{escaped(group_name(group))}</h3>")
        body.append(facts_list(group_facts(group, observation.frequency)))
        rows = list(state_rows(group))
        if rows:
            body.append(table(HEADS, (_state(each) for each in rows)))
    return panel("cstates", "Sleep states", "measured", "".join(body))


def _state(state: StateRow) -> str:
    return row(state.cells, "cstates-closed" if state.closed else "")


def simulated_panel(trace: Trace, machine: Machine, rows: Sequence[SimulatedRow]) -> str:
    """Return the panel's markup: a row for each governor, and what its numbers mean."""
    heads = simulate_table.heads(machine)
    body = [
        f"<p>{escaped(simulate_table.title(trace, machine))}</p>",
        table(heads, (row(simulate_table.cells(each), "") for each in rows)),
        *(f"<p>{escaped(text)}</p>" for text in simulate_table.notes(rows)),
    ]
    hint = '<span class="cstates-modelled">modelled</span>'
    return panel("cstates-simulated", "What governors would choose", hint, "".join(body))


def panel(name: str, title: str, hint: str, body: str) -> str:
    """Return a panel around a body; ``hint`` and ``body`` are markup."""
    return (
        f'<section class="panel" id="{name}" aria-labelledby="{name}-title">'
        f'<div class="panel-head"><h2 id="{name}-title">{escaped(title)}</h2>'
        f'<p class="hint">{hint}</p></div><div class="cstates-body">{body}</div></section>'
    )


def facts_list(rows: Iterable[tuple[str, str]]) -> str:
    """Return labels and texts as a list; nothing without any."""
    cells = "".join(f"<dt>{escaped(label)}</dt><dd>{escaped(text)}</dd>" for label, text in rows)
    return f'<dl class="cstates-facts">{cells}</dl>' if cells else ""


def table(heads: Iterable[str], rows: Iterable[str]) -> str:
    """Return a table; rows are markup, as of row()."""
    head = "".join(f'<th scope="col">{escaped(name)}</th>' for name in heads)
    return (
        f'<div class="scroll"><table class="cstates-table"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def row(cells: Sequence[str], look: str) -> str:
    """Return a table's row with the first cell as its head; ``look`` is a class or nothing."""
    head = f'<tr class="{look}">' if look else "<tr>"
    rest = "".join(f"<td>{escaped(cell)}</td>" for cell in cells[1:])
    return f'{head}<th scope="row">{escaped(cells[0])}</th>{rest}</tr>'
