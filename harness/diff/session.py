"""A run of `stallscope diff`: reads both recordings, compares, prints and writes the page."""

from collections.abc import Callable
from dataclasses import dataclass

import click
from markupsafe import Markup
from msgspec import structs

from harness.cli.brief import document_text
from harness.cli.outputs import check_place, write_whole
from harness.cli.symbol_places import DEFAULT_PLACES, SymbolPlaces
from harness.cli.terminal import colours, note, width
from harness.diff.build import Sides, compare_rows, diff_result
from harness.diff.frames import frame_rows
from harness.diff.options import DiffOptions
from harness.diff.other_rows import latency_rows, slot_rows, state_rows
from harness.diff.result import DiffSide
from harness.diff.rows import RowSums
from harness.diff.text import lines
from harness.recordings.kinds import COUNTERS, PROFILE, REQUESTS, WAITS, kind_of
from stallscope.errors import ExitCode, RecordingError, UsageError
from stallscope.recordings import Recording, open_recording
from topdown.stacks.profile import Profile

LOAD = "load"
READERS: dict[str, Callable[[Recording], RowSums]] = {
    COUNTERS: slot_rows,
    WAITS: state_rows,
    REQUESTS: state_rows,
    LOAD: latency_rows,
}


@dataclass(frozen=True, slots=True)
class SideRows:
    """A recording with its rows, and its profile if it has one."""

    side: DiffSide
    rows: RowSums
    profile: Profile | None


def run_diff(options: DiffOptions, *, as_json: bool) -> int:
    """Return the exit code after both recordings were compared."""
    if options.output is not None:
        check_place(options.output)
    first, second = (open_recording(path) for path in (options.before, options.after))
    kinds = kind_of(first), kind_of(second)
    if kinds[0] != kinds[1]:
        raise UsageError(
            f"{options.before} is a recording of kind {kinds[0]!r}, {options.after} of kind "
            f"{kinds[1]!r}",
            "compare recordings of one kind",
        )
    warnings = machine_warnings(first, second, force=options.force)
    a, b = (
        read_side(recording, kinds[0], options.event, options.places)
        for recording in (first, second)
    )
    compared = compare_rows(a.rows, b.rows, options)
    result = diff_result(compared, Sides(a.side, b.side, kinds[0], a.rows.noun, warnings), options)
    if options.output is not None:
        result = structs.replace(result, page=str(options.output))
        from harness.diff.panel import diff_page  # noqa: PLC0415 - only with a page

        flame = None
        if a.profile is not None and b.profile is not None:
            flame = flame_markup(a.profile, b.profile)
        write_whole(options.output, [diff_page(result, flame)])
    if as_json:
        click.echo(document_text(result))
    else:
        click.echo("\n".join(lines(result, width(), options.limit)), color=colours())
        if options.output is not None:
            note(f"wrote {options.output}")
    return int(ExitCode.FINDING if result.failed else ExitCode.DONE)


def flame_markup(before: Profile, after: Profile) -> Markup:
    """Return the flame graph by change as a part of a page."""
    from harness.diff.flame import diff_flame  # noqa: PLC0415 - only with a page

    # The SVG was written with its texts escaped, so it is inserted unchanged.
    return Markup(diff_flame(before, after, with_style=False))  # noqa: S704


def read_side(
    recording: Recording, kind: str, event: str, places: SymbolPlaces = DEFAULT_PLACES
) -> SideRows:
    """Return the rows of a recording. Raises RecordingError for a kind without rows."""
    profile = None
    if kind == PROFILE:
        from harness.profile.analysis import analyze  # noqa: PLC0415 - of one kind only
        from harness.profile.options import AnalysisOptions  # noqa: PLC0415

        profile = analyze(recording, AnalysisOptions(event=event, places=places)).profile
        rows = frame_rows(profile, title=str(recording.path))
    elif kind in READERS:
        rows = READERS[kind](recording)
    else:
        raise RecordingError(
            f"{recording.path}: recordings of kind {kind!r} cannot be compared",
            "compare profiles, waits, counters or loads; for sleep states: stallscope cstates "
            "compare",
        )
    manifest = recording.manifest
    side = DiffSide(
        recording=str(recording.path),
        title="" if manifest is None else manifest.target.describe(),
        host="" if manifest is None else manifest.host_name,
        cpu="" if manifest is None else manifest.cpu_model,
        kernel="" if manifest is None else manifest.kernel_release,
        seconds=rows.seconds,
        samples=rows.samples,
    )
    return SideRows(side, rows, profile)


def machine_warnings(first: Recording, second: Recording, *, force: bool) -> list[str]:
    """Return warnings about different machines. Raises UsageError without ``force``."""
    if first.manifest is None or second.manifest is None:
        return ["The machines are not known: only recordings of stallscope name their CPU model."]
    a, b = first.manifest, second.manifest
    different = [
        f"{name} {left!r} and {right!r}"
        for name, left, right in (
            ("hosts", a.host_name, b.host_name),
            ("CPUs", a.cpu_model, b.cpu_model),
        )
        if left != right
    ]
    warnings = []
    if different:
        text = ", ".join(different)
        if not force:
            raise UsageError(
                f"the recordings are of different machines: {text}",
                "use --force; the noise of a recording does not include differences of machines",
            )
        warnings.append(f"Recorded on different machines: {text}. Their differences are included.")
    if a.kernel_release != b.kernel_release:
        warnings.append(f"Kernels differ: {a.kernel_release} and {b.kernel_release}.")
    return warnings
