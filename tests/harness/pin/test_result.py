"""The documents of pins."""

from collections.abc import Callable

from cstates.pinning.knobs import change
from cstates.pinning.plan import make_plan
from cstates.pinning.request import PinRequest, bench_profile
from cstates.pinning.restoring import JournalRestore, RestoredSetting, RestoreStatus
from harness.pin.result import PinPlanResult, PinRestoreResult, plan_result, restore_result
from stallscope.documents import decode, encode
from tests.cstates.pinning.conftest import FakeMachine


def test_a_decoded_plan_equals_the_encoded_plan(fake: Callable[[str], FakeMachine]) -> None:
    plan = make_plan(fake("acpi-cpufreq-server").roots, bench_profile(PinRequest(cpus="1")))
    result = plan_result(plan)
    assert decode(encode(result), PinPlanResult, "plan") == result
    assert len(result.plan) == len(plan.changes)
    assert result.kept_tunables > 0
    assert not set(result.cpus) & set(result.siblings)


def test_every_status_of_a_restored_setting_is_decoded() -> None:
    nice = change("nice", "0", "5")
    journal = JournalRestore(tuple(RestoredSetting(nice, status, "x") for status in RestoreStatus))
    result = restore_result([journal])
    decoded = decode(encode(result), PinRestoreResult, "restore")
    assert [setting.status for setting in decoded.journals[0].settings] == list(RestoreStatus)
