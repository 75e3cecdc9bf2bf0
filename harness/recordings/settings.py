"""The machine settings of a recording, stored in recording.json and shown on its page.

Settings are sleep states, governors, limits and turbo. Two profiles are comparable if they have the
same settings. The cost is two readings of sysfs and /proc, 10 ms each with a few CPUs.
"""

import json
from pathlib import Path
from typing import Any

from cstates.fingerprint import Fingerprint
from cstates.observation import Observation
from harness.cli.outputs import write_whole
from harness.cli.terminal import warn
from harness.recordings.settings_text import settings_facts, settings_since
from stallscope.documents import Record, decode, read_bounded, read_document
from stallscope.errors import StallscopeError
from stallscope.recordings import MANIFEST


class _SettingsRecord(Record, frozen=True):
    settings: Fingerprint | None = None


def keep_settings(directory: Path, before: Observation | None) -> None:
    """Add the settings since ``before`` to a complete recording; a failure gives a warning.

    An incomplete recording is not changed.
    """
    manifest = directory / MANIFEST
    if before is None or not manifest.is_file():
        return
    try:
        document = decode(read_bounded(manifest), dict[str, Any], str(manifest))
        if document.get("complete") is True:
            settings = settings_since(before)
            document["settings"] = settings and settings.document()
            write_whole(manifest, [json.dumps(document, indent=1) + "\n"])
    except StallscopeError as error:
        warn(f"the machine settings could not be stored: {error.message}")


def recorded_settings(directory: Path) -> Fingerprint | None:
    """Return the machine settings of a recording, or None."""
    return read_document(directory / MANIFEST, _SettingsRecord).settings


def recorded_facts(directory: Path) -> dict[str, str]:
    """Return the machine settings of a recording as texts by label; empty without any."""
    return settings_facts(recorded_settings(directory))
