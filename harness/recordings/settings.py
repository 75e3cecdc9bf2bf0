"""The machine settings of a recording, stored in recording.json and shown on its page.

Settings are sleep states, governors, limits and turbo. Two profiles are comparable if they have the
same settings. The cost is two readings of sysfs and /proc, 10 ms each with a few CPUs.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Raw

from cstates.fingerprint import Fingerprint
from harness.cli.outputs import write_whole
from harness.cli.terminal import warn
from harness.recordings.settings_text import settings_facts, settings_since
from stallscope.documents import Record, decode, encode, read_bounded, read_document
from stallscope.errors import StallscopeError
from stallscope.recordings import MANIFEST

if TYPE_CHECKING:
    from cstates.observation import Observation


class _CompleteRecord(Record, frozen=True):
    complete: bool = False


class _SettingsRecord(Record, frozen=True):
    settings: Fingerprint | None = None


def keep_settings(directory: Path, before: "Observation | None") -> None:
    """Add the settings since ``before`` to a complete recording; a failure gives a warning.

    An incomplete recording is not changed.
    """
    manifest = directory / MANIFEST
    if before is None or not manifest.is_file():
        return
    try:
        content = read_bounded(manifest)
        if decode(content, _CompleteRecord, str(manifest)).complete:
            document = decode(content, dict[str, Raw], str(manifest))
            # All other fields stay as the recorder wrote them.
            document["settings"] = Raw(encode(settings_since(before)).encode())
            write_whole(manifest, [encode(document, indent=1) + "\n"])
    except StallscopeError as error:
        warn(f"the machine settings could not be stored: {error.message}")


def recorded_settings(directory: Path) -> Fingerprint | None:
    """Return the machine settings of a recording, or None."""
    return read_document(directory / MANIFEST, _SettingsRecord).settings


def recorded_facts(directory: Path) -> dict[str, str]:
    """Return the machine settings of a recording as texts by label; empty without any."""
    return settings_facts(recorded_settings(directory))
