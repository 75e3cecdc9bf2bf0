"""The panel "Causes of waits": causes with their chains, and the wait-for graph."""

from harness.page.document import fragment
from harness.page.panels import TABLE_STYLE, Panel
from harness.waits.binned import BinnedValues, ended_key
from harness.waits.cells import Cells
from harness.waits.ended_text import place_text, waker_text
from harness.waits.graph_layout import BOX_HEIGHT, BOX_WIDTH, graph_picture
from harness.waits.graph_text import SHOWN_CAUSES, cause_text, chain_text, weighty_knots
from harness.waits.result import WaitsResult

MAX_ENDED_WAITS = 20


def graph_panel(result: WaitsResult, binned: BinnedValues | None = None) -> Panel:
    """Return the panel; the picture has the heaviest edges only.

    ``binned``: values by time, to select a period.
    """
    graph, cells = result.graph, Cells(binned)
    total = graph.wait_ns if graph else 0
    picture = graph_picture(graph.edges, graph.knots) if graph else None
    hints = list(graph.missing) if graph else ["this result has no wait-for graph"]
    if picture and picture.left_out:
        hints.append(f"{picture.left_out} lighter edges are not drawn")
    arrows = picture.arrows if picture else ()
    markup = fragment(
        "harness.waits/graph_panel.html",
        causes=[
            (
                cause_text(cause),
                cells.time(cause.wait_ns, key := ("cause", cause.kind, cause.name)),
                cells.share(cause.wait_ns, total, key, ("graph",)),
                chain_text(cause),
            )
            for cause in result.causes[:SHOWN_CAUSES]
        ],
        picture=picture,
        box=(BOX_WIDTH, BOX_HEIGHT),
        times=[
            cells.time(arrow.edge.wait_ns, ("edge", arrow.edge.waiter, arrow.edge.cause))
            for arrow in arrows
        ],
        knots=[", ".join(knot) for knot in weighty_knots(result.causes, graph)] if graph else [],
        hints=hints,
        ended=[
            (
                cells.time(wait.wait_ns, ended_key(wait)),
                cells.count(wait.waits, ended_key(wait)),
                place_text(wait),
                waker_text(wait),
            )
            for wait in result.ended_waits[:MAX_ENDED_WAITS]
        ],
        wakers_unavailable=result.wakers_unavailable,
    )
    return Panel(markup, (TABLE_STYLE, ("harness.waits", ("graph.css",))))
