"""The analysis of a file of another tool."""

from harness.profile.analysis import Analysis
from harness.profile.options import AnalysisOptions
from harness.profile.period import Period
from stallscope.errors import UsageError
from stallscope.recordings import Recording
from topdown.stacks.bursts import Burst, find_bursts
from topdown.stacks.formats.detection import FileFormat
from topdown.stacks.formats.reading import detect_file, read_profile
from topdown.stacks.profile import Profile
from topdown.stacks.profile_period import within_period
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
    profile = read_profile(recording.samples, file_format, options.event)
    if options.period is not None:
        profile = _limited(profile, options.period, file_format)
    bursts: tuple[Burst, ...] = ()
    # The stretches of speedscope's events are not samples at equal intervals.
    if profile.times is not None and file_format != FileFormat.SPEEDSCOPE:
        bursts = find_bursts(profile, profile.times)
    return Analysis(profile, rank(profile), bursts=bursts)


def _limited(profile: Profile, period: Period, file_format: FileFormat) -> Profile:
    if profile.times is None:
        raise UsageError(
            f"--period: the samples of this file of {file_format} have no times",
            "leave the option out",
        )
    limited = within_period(profile, round(period.begin_s * 1e9), round(period.end_s * 1e9))
    if not limited.samples:
        raise UsageError(
            f"--period: there is no sample from {period.begin_s} to {period.end_s} s",
            f"the last sample is {profile.times.last_ns / 1e9:.3f} s after the first one",
        )
    return limited
