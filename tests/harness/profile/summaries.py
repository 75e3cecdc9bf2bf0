"""Summaries of profiles, as text and as documents."""

from pathlib import Path

from harness.profile.analysis import Analysis
from harness.profile.result import profile_result
from harness.profile.text import summary_text
from stallscope.recordings import StackRecording
from topdown.stacks.profile import Profile
from topdown.stacks.ranking import rank

WHY = "frame pointers reach the entry in 3 % of the first 64 samples"
RECORDED = StackRecording("dwarf", "auto", 8192, WHY, ())
PATHS = {"recording": Path("run"), "report": Path("run/report.html")}


def analysis(profile: Profile, stacks: StackRecording | None = None) -> Analysis:
    return Analysis(profile, rank(profile), stacks)


def text_of(profile: Profile, top: int = 5, stacks: StackRecording | None = None) -> str:
    return summary_text(profile_result(analysis(profile, stacks), top=top, **PATHS))
