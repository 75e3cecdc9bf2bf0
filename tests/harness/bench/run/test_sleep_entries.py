"""Entries into sleep states: summed over the CPUs, by state."""

from pathlib import Path

from harness.bench.run.sleep_entries import SleepEntries


def test_entries_are_summed_over_the_cpus(tmp_path: Path) -> None:
    for cpu in (0, 1):
        for number, name in enumerate(("POLL", "C6")):
            folder = tmp_path / f"cpu{cpu}/cpuidle/state{number}"
            folder.mkdir(parents=True)
            (folder / "name").write_text(f"{name}\n")
            (folder / "usage").write_text(f"{10 * cpu + number}\n")
    (tmp_path / "cpufreq").mkdir()
    entries = SleepEntries(tmp_path)
    assert entries.names == ("POLL", "C6")
    assert entries.read() == (10, 12)
    (tmp_path / "cpu0/cpuidle/state1/usage").write_text("9\n")
    assert entries.read() == (10, 20)


def test_a_machine_without_cpuidle_has_no_states(tmp_path: Path) -> None:
    assert SleepEntries(tmp_path).read() == ()
