"""The flame page: one self-contained HTML file that shows a profile."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from harness.page import document
from harness.page.document import Document
from harness.profile import flame_payload
from harness.profile import slots_panel as flame_slots
from harness.profile import summary_panels as flame_summary
from harness.profile.python_text import python_text
from harness.profile.whole_stacks import choice_text, shares_text
from harness.topdown import panel as slots_panel
from stallscope.printable import visible_text
from stallscope.recordings import StackRecording
from topdown.slots.function_slots import SlotsByFunction
from topdown.stacks.flame.layout import flame_tree
from topdown.stacks.profile import Profile
from topdown.stacks.python.shares import PythonShares
from topdown.stacks.ranking import Ranking, rank

_FOLDER = "harness.page"
_STYLES = ("flame_view/theme.css", "flame_view/page.css", "flame_view/print.css")
# In the order in which they use one another; together they are one script in one scope.
_SCRIPTS = (
    "dom.js",
    "decode.js",
    "figures.js",
    "names.js",
    "slots.js",
    "colours.js",
    "marks.js",
    "totals.js",
    "inlining.js",
    "search.js",
    "frames.js",
    "graph.js",
    "view.js",
    "describe.js",
    "legend.js",
    "table.js",
    "detail.js",
    "threads.js",
    "picture.js",
    "keyboard.js",
    "controls.js",
    "page.js",
    "start.js",
)


@dataclass(frozen=True, slots=True)
class Known:
    """What else is known of a profile.

    Its ranking, where made already; how stacks were taken, where the recording says it; how many
    samples have Python frames, where an interpreter was met; what was counted by function, where a
    group of events was; the panel on the CPU's slots, as markup.
    """

    ranking: Ranking | None = None
    stacks: StackRecording | None = None
    python: PythonShares | None = None
    slots: SlotsByFunction | None = None
    slots_panel: str = ""


def render_page(
    profile: Profile,
    *,
    recording_name: str,
    host: Mapping[str, str],
    known: Known = Known(),
) -> str:
    """The page of ``profile``, to be written as UTF-8.

    ``recording_name`` and ``host`` (label to text, in order) are shown as they are; every name
    in the profile is taken for hostile. Nothing is fetched: style, script and samples are inside.
    """
    tree = flame_tree(profile)
    return document.render(
        Document(
            template="harness.page/flame_view/page.html",
            title=f"{_title(profile)} \u00b7 stallscope",
            style="\n".join(
                (
                    document.sources(_FOLDER, _STYLES),
                    document.sources(slots_panel.FOLDER, slots_panel.STYLES),
                )
            ),
            values=_values(profile, known, recording_name=recording_name, host=host),
            script=_script(),
            data=flame_payload.encode(profile, tree, known.slots),
        )
    )


def _script() -> str:
    scripts = document.sources(_FOLDER, (f"flame_view/{name}" for name in _SCRIPTS))
    return f'(() => {{\n"use strict";\n{scripts}\n}})();'


def _title(profile: Profile) -> str:
    return visible_text(profile.title, 200) or "Profile"


def _values(
    profile: Profile, known: Known, *, recording_name: str, host: Mapping[str, str]
) -> dict[str, object]:
    """Return what the template shows; markup is marked as such, and all other texts are escaped."""
    ranking, stacks = known.ranking or rank(profile), known.stacks
    facts = dict(host)
    if stacks is not None:
        facts["stacks"] = choice_text(stacks)
    if not math.isnan(profile.stack_shares.complete):
        facts["whole stacks"] = shares_text(profile.stack_shares)
    if known.python is not None and (text := python_text(known.python)):
        facts["Python frames"] = text
    functions, functions_hint = flame_summary.functions_table(profile, ranking)
    threads, threads_hint = flame_summary.threads_table(profile, ranking)
    panels = {
        "source": flame_summary.source_line(profile),
        "figures": flame_summary.figures(profile, ranking.value),
        "notices": flame_summary.notices(profile, stacks),
        "functions": functions,
        "slots": known.slots_panel,
        "by_function": flame_slots.section(known.slots, profile.functions),
        "threads": threads,
    }
    return {
        "title": _title(profile),
        "recording": recording_name,
        "functions_hint": functions_hint,
        "threads_hint": threads_hint,
        "facts": facts,
        **{name: Markup(markup) for name, markup in panels.items()},  # noqa: S704 - escaped there
    }
