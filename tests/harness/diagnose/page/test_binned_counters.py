from hypothesis import given
from hypothesis import strategies as st

from harness.diagnose.page.binned_counters import add_counters, increases
from harness.profile.time_bins import TimeGrid
from harness.waits.binned import BinnedValues
from tests.harness.diagnose.machines import SECOND_NS, reading


def test_an_increase_is_spread_evenly_between_two_readings() -> None:
    grid = TimeGrid(100 * SECOND_NS, SECOND_NS // 2, 8)
    series = BinnedValues(8, 0.5)
    add_counters(series, [reading(0), reading(2), reading(4)], grid)
    assert series.values["count", "disk", "vda", "reads"] == dict.fromkeys(range(8), 25)
    assert sum(series.values["time", "disk", "vda", "busy"].values()) == 2 * SECOND_NS


@given(st.lists(st.integers(0, 1000), min_size=2, max_size=9), st.integers(1, 40))
def test_the_bins_add_up_to_the_increase(counts: list[int], bins: int) -> None:
    rows = list(enumerate(sorted(counts)))
    disks = [reading(0).disks[0]]
    readings = []
    for second, count in rows:
        row = reading(second)
        changed = type(disks[0])(
            **{
                **{name: getattr(row.disks[0], name) for name in row.disks[0].__struct_fields__},
                "reads": count,
            }
        )
        readings.append(
            type(row)(
                **{
                    **{name: getattr(row, name) for name in row.__struct_fields__},
                    "disks": (changed,),
                }
            )
        )
    length = len(rows) * SECOND_NS
    grid = TimeGrid(100 * SECOND_NS, -(-length // bins), bins)
    series = BinnedValues(bins, 1.0)
    add_counters(series, readings, grid)
    total = sum(series.values.get(("count", "disk", "vda", "reads"), {}).values())
    assert total == max(counts) - min(counts)


def test_a_counter_that_was_reset_does_not_count() -> None:
    assert list(increases([(0, 10), (5, 3), (9, 4)])) == [(0, 5, 0), (5, 9, 1)]
