"""The flame page: a profile as one self-contained HTML file."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from markupsafe import Markup
from msgspec import Struct, field

from harness.page import document
from harness.page.document import Document
from harness.page.flame_script import flame_script
from harness.page.source_files import sources
from harness.profile import flame_payload, panel
from harness.profile.periods_panel import periods_panel
from harness.profile.python_text import python_text
from harness.profile.result import python_result, stacks_result
from harness.profile.stacks_text import recording_text, shares_text
from harness.topdown.styles import FOLDER as SLOTS_FOLDER
from harness.topdown.styles import STYLES as SLOTS_STYLES
from stallscope.printable import visible_text
from stallscope.recordings import StackRecording
from topdown.stacks.bursts import Burst
from topdown.stacks.flame.layout import flame_tree
from topdown.stacks.profile import Profile
from topdown.stacks.ranking import Ranking, rank

if TYPE_CHECKING:
    from harness.profile.off_cpu import OffCpuFacts
    from topdown.slots.function_slots import SlotsByFunction
    from topdown.stacks.python.shares import PythonShares

_FOLDER = "harness.page"
_STYLES = (
    "flame_view/theme.css",
    "flame_view/page.css",
    "flame_view/print.css",
    "subsecond_map.css",
)


class PageContent(Struct, frozen=True):
    """Optional content of the page beside the profile.

    ``ranking``: None: it is computed. ``stacks``: how stacks were recorded. ``python``: matches of
    samples and Python frames. ``slots``: counts by function. ``slots_panel``: markup of the panel
    on pipeline slots. ``bursts``: periods that differ from the rest.
    ``off_cpu``: wakers and idle pools of a profile of off-CPU time; ``with_wakers``: then the
    profile for the graph, with the call chains of wakers.
    ``modules``: the profile grouped by module.
    """

    ranking: Ranking | None = None
    stacks: StackRecording | None = None
    python: "PythonShares | None" = None
    slots: "SlotsByFunction | None" = None
    slots_panel: Markup = field(default_factory=Markup)
    bursts: tuple[Burst, ...] = ()
    off_cpu: "OffCpuFacts | None" = None
    with_wakers: Profile | None = None
    modules: Profile | None = None


_NO_CONTENT = PageContent()


def render_page(
    profile: Profile,
    *,
    recording_name: str,
    host: Mapping[str, str],
    content: PageContent = _NO_CONTENT,
) -> str:
    """Return the page of ``profile``, to be written as UTF-8.

    ``host``: label to text, in order. Every name is escaped. The page loads nothing: style, script
    and samples are embedded.
    """
    drawn = content.with_wakers or profile
    return document.render(
        Document(
            template="harness.page/flame_view/page.html",
            title=f"{_title(profile)} \u00b7 stallscope",
            style="\n".join(
                (
                    sources(_FOLDER, _STYLES),
                    sources(SLOTS_FOLDER, SLOTS_STYLES),
                )
            ),
            values=_values(profile, content, recording_name=recording_name, host=host),
            script=flame_script(),
            data=flame_payload.encode(drawn, flame_tree(drawn), content.slots),
        )
    )


def _title(profile: Profile) -> str:
    return visible_text(profile.title, 200) or "Profile"


def _values(
    profile: Profile, content: PageContent, *, recording_name: str, host: Mapping[str, str]
) -> dict[str, object]:
    """Return the template's values; those that are not Markup are escaped by the template."""
    ranking = content.ranking or rank(profile)
    stacks = stacks_result(profile.stack_shares, content.stacks)
    facts = dict(host)
    if text := recording_text(stacks):
        facts["stacks"] = text
    if stacks.complete_share is not None:
        facts["whole stacks"] = shares_text(stacks)
    if python := python_result(content.python):
        facts["Python frames"] = python_text(python)
    functions, functions_hint = panel.functions_table(profile, ranking)
    threads, threads_hint = panel.threads_table(profile, ranking)
    return {
        "title": _title(profile),
        "recording": recording_name,
        "functions_hint": functions_hint,
        "threads_hint": threads_hint,
        "facts": facts,
        "source": panel.source_line(profile),
        "figures": panel.figures(profile, ranking.value),
        "notices": panel.notices(profile, stacks),
        "functions": functions,
        "modules": _modules_section(content),
        "slots": content.slots_panel,
        "off_cpu": _off_cpu_section(content),
        "over_time": periods_panel(profile, content.bursts, recording_name=recording_name),
        "by_function": _counts_section(profile, content),
        "threads": threads,
    }


def _modules_section(content: PageContent) -> Markup:
    if content.modules is None:
        return Markup()
    from harness.profile.modules_panel import modules_panel  # noqa: PLC0415 - rarely needed

    return modules_panel(content.modules)


def _off_cpu_section(content: PageContent) -> Markup:
    if content.off_cpu is None:
        return Markup()
    from harness.profile.off_cpu_panel import off_cpu_panel  # noqa: PLC0415 - rarely needed

    return off_cpu_panel(content.off_cpu)


def _counts_section(profile: Profile, content: PageContent) -> Markup:
    if content.slots is None:
        return Markup()
    from harness.profile.slots_panel import section  # noqa: PLC0415 - only with counters

    return section(content.slots, profile.functions)
