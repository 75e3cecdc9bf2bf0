"""Kept runs of a lab: recordings with what the lab knew about them, to be diagnosed again.

``DIRECTORY/ENTRY/RUN/VARIANT/`` has ``run.json`` and the recording.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

from harness.diagnose.diagnosis import diagnosis_of
from harness.labs.diagnose.entries import Entry
from harness.labs.diagnose.judgement import KeptRun, judged_run
from harness.labs.diagnose.result import VariantRun
from stallscope.documents import decode, encode
from stallscope.errors import RecordingError
from stallscope.recordings import open_recording

RUN, RECORDING = "run.json", "recording"
_PAGE = "report.html"


def keep_run(directory: Path, run: KeptRun, recording: Path | None) -> None:
    """Write a run below ``directory``; the recording without its page."""
    directory.mkdir(parents=True)
    (directory / RUN).write_text(encode(run))
    if recording is not None and recording.is_dir():
        shutil.copytree(recording, directory / RECORDING, ignore=shutil.ignore_patterns(_PAGE))


def kept_runs(directory: Path, entry: Entry) -> Iterator[VariantRun]:
    """Yield the runs of an entry with their findings by the present rules."""
    for path in sorted(directory.glob(f"{entry.name}/*/*/{RUN}")):
        kept = decode(path.read_bytes(), KeptRun, str(path))
        if kept.why:
            yield VariantRun(variant=kept.variant, findings=(), rate_per_s=None, why=kept.why)
            continue
        try:
            diagnosis = diagnosis_of(open_recording(path.parent / RECORDING))
        except RecordingError as error:
            yield VariantRun(variant=kept.variant, findings=(), rate_per_s=None, why=error.message)
            continue
        yield judged_run(entry, kept, diagnosis)
