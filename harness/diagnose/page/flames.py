"""The flame graphs of a recording by weight: on the CPU, off the CPU, and wall time."""

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from harness.diagnose.page.links import FLAME
from harness.diagnose.page.section import Section, absent
from harness.page.document import fragment
from harness.page.panels import StyleSheets
from harness.profile import flame_payload, panel
from harness.profile.analysis import Analysis, analyze
from harness.profile.capture_reading import CaptureReading
from harness.profile.options import AnalysisOptions
from harness.profile.time_bins import TimeGrid
from stallscope.errors import StallscopeError
from stallscope.quantities import value_text
from stallscope.recordings import Recording
from topdown.stacks.flame.layout import flame_tree
from topdown.stacks.flame.pruning import prune
from topdown.stacks.profile import Profile
from topdown.waits.weight import Weight

# Together the three graphs of a page stay below 5 MiB.
MAX_NODES = 400_000
STYLES: tuple[StyleSheets, ...] = (("harness.topdown", ("slots.css",)),)
_TITLES = {Weight.CPU: "On CPU", Weight.OFF_CPU: "Off CPU", Weight.WALL: "Wall time"}
_HINTS = {
    Weight.CPU: "CPU time by call chain, sampled",
    Weight.OFF_CPU: "waiting time by call chain, without idle pools; a wait counts where it begins",
    Weight.WALL: "wall time by call chain: running and waiting; a wait counts where it begins",
}


@dataclass(frozen=True, slots=True)
class FlameGraph:
    """A profile by one weight. ``missing``: why there is none."""

    weight: Weight
    profile: Profile | None
    missing: str = ""

    @property
    def title(self) -> str:
        """Return the name of the weight."""
        return _TITLES[self.weight]


def flame_graphs(
    recording: Recording, on_cpu: Analysis | None = None, reading: CaptureReading | None = None
) -> tuple[FlameGraph, ...]:
    """Return the graphs of a recording.

    ``on_cpu``: its analysis, ``reading``: its capture, if they were made before.
    """
    graphs = []
    for weight in _TITLES:
        try:
            analysis = on_cpu if weight is Weight.CPU else None
            if analysis is None:
                analysis = analyze(recording, AnalysisOptions(weight=weight), reading)
        except StallscopeError as error:
            graphs.append(FlameGraph(weight, None, error.message))
            continue
        profile = analysis.with_wakers or analysis.profile
        missing = "" if profile.samples else "no sample was taken"
        graphs.append(FlameGraph(weight, profile if profile.samples else None, missing))
    return tuple(graphs)


def flame_section(graphs: tuple[FlameGraph, ...]) -> Section:
    """Return the section: buttons for the weights, the graph, and tables without a script."""
    shown = [graph for graph in graphs if graph.profile is not None]
    if not shown:
        reasons = dict.fromkeys(graph.missing for graph in graphs)
        return absent(FLAME, "Flame graph", f"No call chain was recorded: {'; '.join(reasons)}.")
    first = shown[0].profile
    assert first is not None
    functions, functions_hint = _functions(first)
    markup = fragment(
        "harness.diagnose/page/flames.html",
        graphs=[
            {
                "name": graph.weight.value,
                "title": graph.title,
                "missing": graph.missing if graph.profile is None else "",
                "total": _total(graph.profile),
            }
            for graph in graphs
        ],
        hint=_HINTS[shown[0].weight],
        functions=functions,
        functions_hint=functions_hint,
        first=shown[0].title,
        notices=[
            (graph.title, warning.message)
            for graph in shown
            if graph.profile is not None
            for warning in graph.profile.warnings
        ],
    )
    return Section(FLAME, "Flame graph", markup, STYLES)


def flame_data(graphs: tuple[FlameGraph, ...], grid: TimeGrid | None) -> list[Mapping[str, str]]:
    """Return what the script reads, a graph per weight; weights by time share ``grid``."""
    data: list[Mapping[str, str]] = []
    for graph in graphs:
        if graph.profile is None:
            continue
        pruned = prune(graph.profile, MAX_NODES)
        encoded = flame_payload.encode(pruned, flame_tree(pruned), None, grid)
        names = {"name": graph.weight.value, "hint": _HINTS[graph.weight]}
        data.append({**names, **encoded})
    return data


def _functions(profile: Profile) -> tuple[Markup, str]:
    from topdown.stacks.ranking import rank  # noqa: PLC0415 - only with a page

    return panel.functions_table(profile, rank(profile))


def _total(profile: Profile | None) -> str:
    if profile is None:
        return ""
    return value_text(int(profile.weight_value.sum()), profile.source.unit)
