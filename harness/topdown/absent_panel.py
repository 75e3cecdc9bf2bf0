"""The panel of a profile without slots: the reason, and commands that measure them."""

from collections.abc import Sequence

from markupsafe import Markup

from harness.page.document import fragment
from stallscope.recordings import Manifest

_COUNTING = (
    "stallscope topdown -p PID",
    "counts slots on a machine with hardware counters: IPC and the tree, with intervals",
)
_BY_FUNCTION = (
    "stallscope profile --slots -p PID",
    "samples with slot counters, so that the page colours functions by their lost slots",
)
_DOCTOR = (
    "stallscope doctor",
    "reports why hardware counters are not available, and how to enable them",
)
_MODELLED = (
    "stallscope topdown --source model -- CMD",
    "models the slots of a program by simulation; every value is marked as modelled",
)


def panel_of_profile(manifest: Manifest | None) -> Markup:
    """Return the panel for a recording of samples; ``manifest`` is None for a perf.data file."""
    if manifest is None:
        return absent_panel(
            "Slots were not counted: this file contains samples, which show CPU time and "
            "not what the pipeline waited for.",
            (_COUNTING, _BY_FUNCTION, _MODELLED),
        )
    event = manifest.source.event
    if manifest.source.unit == "ns":
        return absent_panel(
            f"Slots were not counted: this recording samples {event}, a kernel timer without "
            "information about the pipeline. Hardware counters were not used or not available.",
            (_DOCTOR, _COUNTING, _BY_FUNCTION, _MODELLED),
        )
    return absent_panel(
        f"Slots were not counted: this recording samples {event}, which shows CPU time and "
        "not what the pipeline waited for.",
        (_COUNTING, _BY_FUNCTION),
    )


def absent_panel(why: str, commands: Sequence[tuple[str, str]]) -> Markup:
    """Return the panel of a page without counts: the reason, and commands that measure slots.

    ``commands`` are pairs of a command line and its result.
    """
    return fragment("harness.topdown/absent_panel.html", reason=why, commands=commands)
