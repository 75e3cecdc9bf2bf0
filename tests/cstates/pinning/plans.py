"""Plans of requests on generated machines."""

from collections.abc import Callable

from cstates.pinning.plan import PinPlan, make_plan
from cstates.pinning.request import PinRequest
from tests.cstates.pinning.conftest import FakeMachine

Fake = Callable[[str], FakeMachine]
CPUS = "/sys/devices/system/cpu"


def planned(fake: Fake, machine: str, **request: object) -> PinPlan:
    return make_plan(fake(machine).roots, PinRequest(**request))


def written(plan: PinPlan) -> list[tuple[str, str, str | None]]:
    return [(item.path.removeprefix(f"{CPUS}/"), item.old, item.new) for item in plan.changes]
