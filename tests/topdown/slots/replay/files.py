"""Files of counts."""

import json
from pathlib import Path

SKL = {
    "CPU_CLK_UNHALTED.THREAD": 1e6,
    "IDQ_UOPS_NOT_DELIVERED.CORE": 1e6,
    "UOPS_ISSUED.ANY": 2e6,
    "UOPS_RETIRED.RETIRE_SLOTS": 1.8e6,
    "INT_MISC.RECOVERY_CYCLES": 1e4,
}


def written(folder: Path, document: object) -> Path:
    path = folder / "counts.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path
