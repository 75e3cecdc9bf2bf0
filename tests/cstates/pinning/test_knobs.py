"""The table of settings, and changes of them."""

import pytest

from cstates.pinning.knobs import KNOBS, Scope, SettingChange, change


def test_names_of_a_change_fill_the_path_of_its_knob() -> None:
    closed = change("idle-state", "0", "1", cpu=3, state="state2")
    assert closed.path == "/sys/devices/system/cpu/cpu3/cpuidle/state2/disable"
    assert closed.scope is Scope.SYSFS
    with pytest.raises(KeyError):
        change("idle-state", "0", "1", cpu=3)


def test_a_setting_of_a_process_names_its_system_call() -> None:
    assert change("nice", "0", "5") == SettingChange("nice", "setpriority", "0", "5")
    assert change("nice", "0", "5").scope is Scope.PROCESS


def test_settings_that_the_kernel_cleans_up_are_applied_first() -> None:
    scopes = list(dict.fromkeys(knob.scope for knob in KNOBS.values()))
    assert scopes == [Scope.PROCESS, Scope.DESCRIPTOR, Scope.SYSFS]


def test_a_governor_is_applied_before_the_settings_it_resets_and_turbo_is_restored_first() -> None:
    order = list(KNOBS)
    assert order.index("governor") < order.index("min-frequency") < order.index("max-frequency")
    assert order.index("idle-governor") < order.index("idle-state")
    assert KNOBS["no-turbo"].restored < KNOBS["max-frequency"].restored < KNOBS["governor"].restored
