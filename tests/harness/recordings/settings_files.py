"""A recording to which settings are added."""

import json
from pathlib import Path


def recording(folder: Path, **fields: object) -> Path:
    (folder / "recording.json").write_text(json.dumps({"samples": 3, **fields}))
    return folder
