"""What the page of a profile says on CPU slots: none were counted, and what would tell of them."""

from harness.topdown.panel import absent_panel
from stallscope.recordings import Manifest

_COUNTING = (
    "stallscope topdown -p PID",
    "counts them on a machine with hardware counters: IPC and the tree of slots, with error bars",
)
_BY_FUNCTION = (
    "stallscope profile --slots -p PID",
    "samples with counters of slots, so that this page colours functions by what they lose",
)
_DOCTOR = (
    "stallscope doctor",
    "says what keeps hardware counters away, and how they may be allowed",
)
_MODELLED = (
    "stallscope topdown --source model -- CMD",
    "models the slots of a program by simulation: modelled, not measured, and said so on each line",
)


def panel_of_profile(manifest: Manifest | None) -> str:
    """Return the panel for a recording of samples; ``manifest`` is None of a bare perf.data."""
    if manifest is None:
        return absent_panel(
            "Slots were not counted: this file holds samples, which tell where time goes and not "
            "what the pipeline waited for.",
            (_COUNTING, _BY_FUNCTION, _MODELLED),
        )
    event = manifest.source.event
    if manifest.source.unit == "ns":
        return absent_panel(
            f"Slots were not counted: this recording samples {event}, a timer of the kernel's, "
            "which knows nothing of the pipeline. Hardware counters were not used or not there.",
            (_DOCTOR, _COUNTING, _BY_FUNCTION, _MODELLED),
        )
    return absent_panel(
        f"Slots were not counted: this recording samples {event}, which tells where time goes and "
        "not what the pipeline waited for.",
        (_COUNTING, _BY_FUNCTION),
    )
