"""A segment as an OTLP profile."""

from pathlib import Path

from msgspec.structs import replace

from harness.profile.analysis import analyze
from stallscope.recordings import open_recording
from topdown.stacks.formats.otlp import encode_otlp
from topdown.stacks.formats.profile_tables import tables_of
from topdown.stacks.formats.stack_tables import Label


def profile_bytes(segment: Path) -> bytes:
    """Return the profile of a recording as a message.

    The bytes of a ProfilesData message are also those of an ExportProfilesServiceRequest. The
    target's arguments are not in it. Raises RecordingError if the recording is unreadable.
    """
    recording = open_recording(segment)
    manifest = recording.manifest
    profile = analyze(recording).profile
    start_ns = manifest.start_realtime_ns if manifest is not None else None
    tables = tables_of(profile, time_ns=start_ns or 0)
    host = manifest.host_name if manifest is not None else ""
    attributes = (("service.name", "stallscope"), ("host.name", host))
    labels = tuple(Label(key, text) for key, text in attributes if text)
    return encode_otlp(replace(tables, attributes=labels, comments=()))
