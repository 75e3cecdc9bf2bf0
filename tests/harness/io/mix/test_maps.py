"""The heat maps of a mix."""

from harness.io.mix.maps import heat_maps
from ioprobe.mix.plan import MixPlan
from tests.harness.io.mix.results import result


def test_there_are_maps_of_rates_and_of_sizes() -> None:
    maps = heat_maps(result())
    assert [heat_map.title for heat_map in maps[:5]] == [
        "p50 of reads", "p99 of reads", "p50 of writes", "p99 of writes", "bandwidth",
    ]  # fmt: skip
    assert [heat_map.title for heat_map in maps[5:]] == [
        "p50 of reads by size", "p99 of reads by size", "bandwidth of reads by size",
        "p50 of writes by size", "p99 of writes by size", "bandwidth of writes by size",
    ]  # fmt: skip
    assert maps[0].columns == ("0", "20,000", "40,000", "60,000", "80,000", "95,000")
    assert maps[0].rows[0][0].reason == "no load"
    assert maps[0].rows[1][0].reason == "no such requests"
    assert maps[0].rows[5][5].reason == "a cell with less load missed"
    assert maps[5].row_names == ("4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB")


def test_a_mix_without_writes_has_only_maps_of_sizes() -> None:
    assert [heat_map.title for heat_map in heat_maps(result(MixPlan(writes=False)))] == [
        "p50 of reads by size", "p99 of reads by size", "bandwidth of reads by size",
    ]  # fmt: skip
