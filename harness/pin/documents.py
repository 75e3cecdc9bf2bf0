"""The JSON documents of `stallscope pin`."""

from typing import Any

from cstates.pinning.knobs import KNOBS, Change
from cstates.pinning.plan import Plan
from cstates.pinning.restoring import Restored
from cstates.pinning.status import PinStatus

SCHEMA = "stallscope.pin/1"


def plan_document(plan: Plan) -> dict[str, Any]:
    """Return a plan; relied on by scripts."""
    return {
        "schema": SCHEMA,
        "cpus": list(plan.targets.command),
        "plan": [_change(each) for each in plan.changes],
        "left_out": [{"what": each.wish.value, "why": each.why} for each in plan.left_out],
        "warnings": list(plan.warnings),
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "path": change.path,
        "old": change.old,
        "new": change.new,
        "scope": change.scope.value,
        "knob": change.knob,
        "verified_by": KNOBS[change.knob].verified.value,
    }


def status_document(pins: tuple[PinStatus, ...]) -> dict[str, Any]:
    """Return the pins of a machine, the outermost first."""
    return {
        "schema": "stallscope.pin.status/1",
        "pins": [
            {
                "level": pin.level,
                "owner": {"pid": pin.owner.pid, "name": pin.owner.name},
                "held": pin.held,
                "other_boot": pin.other_boot,
                "settings": [
                    {**_change(each.change), "now": each.now, "holds": each.holds}
                    for each in pin.settings
                ],
            }
            for pin in pins
        ],
    }


def restored_document(restored: tuple[Restored, ...]) -> dict[str, Any]:
    """Return what was put back, journal by journal."""
    return {
        "schema": "stallscope.pin.restore/1",
        "journals": [
            {
                "other_boot": each.other_boot,
                "settings": [
                    {**_change(one.change), "fate": one.fate.name.lower(), "found": one.found}
                    for one in each.outcomes
                ],
            }
            for each in restored
        ],
    }
