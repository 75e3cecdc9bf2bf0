"""The analysis of a file of another tool."""

from harness.profile.analysis import Analysis
from harness.profile.options import AnalysisOptions
from stallscope.errors import UsageError
from stallscope.recordings import Recording
from topdown.stacks.formats.reading import detect_file, read_profile
from topdown.stacks.ranking import rank
from topdown.waits.weight import Weight


def analyze_imported(recording: Recording, options: AnalysisOptions) -> Analysis | None:
    """Return the profile of a file of another tool; None for a capture of perf.

    Raises RecordingError for a damaged file, UsageError for an option that needs a recording.
    """
    if not recording.samples.is_file():
        return None
    file_format = detect_file(recording.samples)
    if file_format is None:
        return None
    if options.weight != Weight.CPU:
        raise UsageError(
            f"--weight {options.weight}: a file of {file_format} has no context switches",
            "leave the option out, or record with stallscope waits",
        )
    if options.period is not None:
        raise UsageError(
            f"--period: samples of a file of {file_format} have no times here",
            "leave the option out",
        )
    profile = read_profile(recording.samples, file_format, options.event)
    return Analysis(profile, rank(profile))
