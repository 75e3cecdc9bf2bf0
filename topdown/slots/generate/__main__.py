"""``python -m topdown.slots.generate TABLES [CPU...]``: writes model files from vendors' tables."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stallscope.errors import StallscopeError
from topdown.slots.generate import amd, arm, intel
from topdown.slots.generate.draft import Draft, document, renamed_text
from topdown.slots.model import FOLDER

HERE = Path(__file__).parent


def model_text(cpu: str, tables: Path) -> str:
    """Return the text of a CPU's model file, from its table and its entry in cpus.json."""
    configuration = json.loads((HERE / "cpus.json").read_text())
    entry = configuration["cpus"][cpu]
    table = json.loads((tables / f"{entry['table']}.json").read_text())
    overlays = [configuration["overlays"][name] for name in entry.get("overlays", ())]
    events = dict(table["events"])
    vendor = arm if "product" in table else amd if cpu.startswith("zen") else intel
    draft = vendor.draft(table)
    for overlay in overlays:
        events |= {name: code for name, code in overlay["events"].items() if name not in events}
        _add_overlay(draft, overlay, entry)
    if vendor is intel:
        draft.drop_unused_terms()
    vendor.encode(draft, events)
    return document(cpu, entry, draft)


def _add_overlay(draft: Draft, overlay: Mapping[str, Any], entry: Mapping[str, Any]) -> None:
    """Add formulas that the vendor's table lacks, and their source if it is another one."""
    if "source" in overlay:
        draft.source += f"; {overlay['source']}"
        draft.licence += f" AND {overlay['licence']}"
    for name, (formula, unit, group) in overlay.get("metrics", {}).items():
        arm.add(draft, name, (formula.replace("SLOTS", str(entry["width"])), unit, group))
    if "optional" in overlay:
        draft.optional[overlay["optional"]] = overlay["why"]
    if overlay["variant"]:
        variant: dict[str, Any] = {"why": overlay["why"]}
        for kind in ("terms", "nodes"):
            if kind in overlay:
                variant[kind] = {
                    name: renamed_text(text, intel.UnchangedNames())
                    for name, text in overlay[kind].items()
                }
        draft.variants[overlay["variant"]] = variant


def main(words: list[str]) -> int:
    """Write the named models, by default all, and return the exit code."""
    if not words:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    tables, cpus = Path(words[0]), words[1:]
    for cpu in cpus or json.loads((HERE / "cpus.json").read_text())["cpus"]:
        text = model_text(cpu, tables)
        (FOLDER / f"{cpu}.json").write_text(text)
        sys.stdout.write(f"{cpu}: {len(text)} bytes\n")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (KeyError, OSError, StallscopeError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
