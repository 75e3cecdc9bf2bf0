from harness.diagnose.facts import Measurements
from harness.diagnose.page.machine import disk_section, machine_section, sleep_section
from tests.harness.diagnose.machines import disk, machine, state
from tests.harness.diagnose.page.contents import content


def test_disks_show_their_counters() -> None:
    section = disk_section(
        Measurements(machine=machine(disks=(disk(), disk(name="idle", reads=0)))), None
    )
    assert "4.00 ms" in section.markup
    assert "1 disks without requests are left out" in section.markup
    assert section.state == ""


def test_sleep_states_and_a_missing_frequency_are_shown() -> None:
    measured = machine({"frequency_missing": "no cpufreq"}, states=(state("C6", 100, 0.5, 133),))
    section = sleep_section(Measurements(machine=measured))
    assert "C6" in section.markup
    assert "133 µs" in section.markup
    assert "Frequency: no cpufreq." in section.markup


def test_without_readings_each_section_is_one_line() -> None:
    for section in (
        disk_section(Measurements(), None),
        sleep_section(Measurements()),
        machine_section(Measurements(), None),
    ):
        assert section.state == "unavailable"


def test_the_machine_shows_idle_time_and_quota() -> None:
    section = machine_section(content().measurements, None)
    assert "50.0 %" in section.markup
    assert "stopped in 16 of 40 periods" in section.markup
