"""What a recording's machine was set to: kept in recording.json, told on its page.

Sleep states, governors, limits and turbo, as benchmarks keep them: two profiles can be compared
where these are alike. Costs two looks at sysfs and /proc, 10 ms each with a few CPUs.
"""

import json
from pathlib import Path

from cstates.fingerprint import Fingerprint
from cstates.observation import Observation
from harness.cli.outputs import write_whole
from harness.cli.terminal import warn
from harness.recordings.settings_text import settings_facts, settings_since
from stallscope.errors import StallscopeError
from stallscope.json_fields import read_fields
from stallscope.recordings import MANIFEST


def keep_settings(directory: Path, before: Observation | None) -> None:
    """Add to a whole recording what ran since ``before`` ran under; says where it cannot.

    One that is not whole stays as it is.
    """
    manifest = directory / MANIFEST
    if before is None or not manifest.is_file():
        return
    try:
        document = dict(read_fields(manifest).values)
        if document.get("complete") is True:
            found = settings_since(before)
            document["settings"] = found and found.document()
            write_whole(manifest, [json.dumps(document, indent=1) + "\n"])
    except StallscopeError as error:
        warn(f"what the machine was set to could not be kept: {error.message}")


def recorded_settings(directory: Path) -> Fingerprint | None:
    """Return what a recording's machine was set to; None where that was not kept."""
    fields = read_fields(directory / MANIFEST)
    kept = fields.values.get("settings") is not None
    return Fingerprint.of(fields.fields("settings")) if kept else None


def recorded_facts(directory: Path) -> dict[str, str]:
    """Return labels and texts of what a recording kept; nothing where it did not."""
    return settings_facts(recorded_settings(directory))
