"""The page of `bench scale`: picture, points, models and laws."""

from harness.bench.scale.fits import Fits
from harness.bench.scale.picture import scale_picture
from harness.bench.scale.result import BenchScaleResult, LawFit
from harness.bench.scale.text import (
    HEADS,
    beside_cells,
    bounds_text,
    demand_cells,
    law_cells,
    law_texts,
    point_cells,
    verdict_text,
)
from harness.page.document import fragment
from harness.page.inline_svg import inline_svg
from harness.page.panels import TABLE_STYLE, Head, Panel, render_panels


def scale_page(result: BenchScaleResult, fits: Fits) -> str:
    """Return the page, to be written as UTF-8."""
    head = Head(result.title, "", "scalability", f"{result.source}; models are fits", "scalability")
    return render_panels([scale_panel(result, fits)], head, {})


def scale_panel(result: BenchScaleResult, fits: Fits) -> Panel:
    """Return the panel "Scalability"."""
    beside = beside_cells(result.beside) if result.beside is not None else []
    markup = fragment(
        "harness.bench.scale/panel.html",
        hint=f"{result.unit} by {result.axis}, {result.source}",
        verdict=[verdict_text(result), bounds_text(result)],
        picture=inline_svg(scale_picture(result, fits, "svg"), "scale", verdict_text(result)),
        heads=(result.axis, *HEADS),
        points=point_cells(result),
        laws=[
            (name, _facts(fit))
            for name, fit in (
                ("Universal scalability law", result.usl),
                ("Amdahl's law", result.amdahl),
            )
        ],
        checks=law_cells(result),
        demands=demand_cells(result) if result.demands else [],
        beside=beside,
        warnings=result.warnings,
    )
    return Panel(markup, (TABLE_STYLE,))


def _facts(fit: LawFit | None) -> list[tuple[str, str]]:
    if fit is None:
        return [("fit", "not fitted, too few counts")]
    return law_texts(fit)
