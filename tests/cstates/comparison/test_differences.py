"""Verdicts for runs with known results, and the order of runs."""

import random

import pytest

from cstates.comparison.differences import (
    ComparedRun,
    DifferenceStatus,
    SettingComparison,
    compare,
    shuffled_rounds,
)

BASELINE, CONTROL = "as it is", "as it is, again"


def runs(setting: str, values: list[float | None], entries: int = 100) -> list[ComparedRun]:
    return [ComparedRun(setting, 1.0, {"wall_s": value}, {"C1": entries}) for value in values]


SIX = [10.0, 10.1, 10.2, 10.3, 10.4, 10.5]


SHUFFLED = [10.3, 10.0, 10.5, 10.1, 10.4, 10.2]


def compared(
    *settings: tuple[str, list[float | None]], control: list[float] | None = None
) -> SettingComparison:
    """Return the comparison of SIX as baseline, a control, and these settings."""
    again = SHUFFLED if control is None else control
    series = [(BASELINE, SIX), (CONTROL, again), *settings]
    names = [name for name, _ in series]
    return compare(names, [run for name, values in series for run in runs(name, [*values])])


def test_a_gain_is_shown_with_its_share_and_p() -> None:
    result = compared(("fast", [value * 0.8 for value in SIX]), ("same", SIX[::-1]))
    (gain,) = result.gains
    assert gain.setting == "fast"
    assert gain.share == pytest.approx(-0.2)
    assert gain.p == pytest.approx(2 / 924)
    assert gain.p_corrected == pytest.approx(4 / 924)
    same = result.difference("same", "wall_s")
    assert same is not None
    assert same.p == 1.0
    assert same.status is DifferenceStatus.CHANCE
    assert result.difference(BASELINE, "wall_s") is None


def test_a_loss_is_significant_but_not_a_gain() -> None:
    result = compared(("slow", [value + 1 for value in SIX]))
    assert result.differences[0].significant
    assert not result.gains


def test_the_repeated_baseline_is_the_control_and_not_a_setting() -> None:
    result = compared(("fast", [value * 0.8 for value in SIX]))
    (control,) = result.controls
    assert (control.setting, control.share, control.p) == (CONTROL, 0.0, 1.0)
    assert control.p_corrected is None
    assert [item.setting for item in result.differences] == ["fast"]
    assert result.difference(CONTROL, "wall_s") == control


def test_a_difference_within_the_controls_is_not_significant() -> None:
    """The setting is 3 % lower in each run, and the control by chance 4 % lower."""
    lower: list[float | None] = [value * 0.97 for value in SIX]
    assert compared(("a", lower)).differences[0].status is DifferenceStatus.SHOWN
    apart = [9.4, 9.6, 9.7, 9.9, 10.9, 11.0]
    result = compared(("a", lower), control=apart)
    assert (result.controls[0].p or 0) > 0.05
    assert result.controls[0].share == pytest.approx(9.8 / 10.25 - 1)
    assert result.differences[0].status is DifferenceStatus.CONTROL


def test_an_unsteady_control_gives_no_verdict() -> None:
    result = compared(("fast", [value * 0.5 for value in SIX]), control=[v * 0.9 for v in SIX])
    assert result.differences[0].status is DifferenceStatus.UNSTEADY
    assert not result.gains


def test_a_difference_below_the_minimum_effect_is_small() -> None:
    steady = [10 + n / 1000 for n in range(6)]
    less = [value * 0.995 for value in steady]
    names = [BASELINE, CONTROL, "a"]
    all_runs = [*runs(BASELINE, [*steady]), *runs(CONTROL, steady[::-1]), *runs("a", [*less])]
    assert compare(names, all_runs).differences[0].status is DifferenceStatus.SMALL
    assert (
        compare(names, all_runs, min_effect=0.004).differences[0].status is DifferenceStatus.SHOWN
    )


def test_holm_rejects_a_single_chance_result_of_many() -> None:
    nearly: list[float | None] = [9.0, 9.1, 9.2, 9.3, 9.4, 10.25]
    single = compared(("a", nearly))
    assert single.differences[0].significant
    many = [(f"s{n}", [*SIX]) for n in range(6)]
    result = compared(("a", nearly), *many)
    assert result.differences[0].status is DifferenceStatus.CHANCE
    assert result.differences[0].p == single.differences[0].p


def test_all_metrics_are_corrected_together() -> None:
    def both(setting: str, walls: list[float]) -> list[ComparedRun]:
        return [
            ComparedRun(setting, 1.0, {"wall_s": w, "cpu_s": c}, {})
            for w, c in zip(walls, SIX, strict=True)
        ]

    all_runs = [*both(BASELINE, SIX), *both(CONTROL, SIX), *both("a", [v * 0.8 for v in SIX])]
    result = compare([BASELINE, CONTROL, "a"], all_runs)
    wall = result.difference("a", "wall_s")
    assert wall is not None
    assert (wall.p, wall.p_corrected) == (pytest.approx(2 / 924), pytest.approx(4 / 924))


def test_settings_without_effect_rarely_differ() -> None:
    """Of 120 comparisons of six settings that do nothing, at most 5 % and five times its error.

    Each comparison has a different amount of noise, and a drift that rounds go along with.
    """
    chance = random.Random(5)
    names = [BASELINE, CONTROL, *(f"s{n}" for n in range(6))]
    false_findings = 0
    for _ in range(120):
        spread = chance.uniform(0.001, 0.2)
        all_runs: list[ComparedRun] = []
        for number, order in enumerate(shuffled_rounds(len(names), 6, seed=chance.randrange(99))):
            drift = 1 + 0.05 * number
            all_runs += [
                ComparedRun(
                    names[which], 1.0, {"wall_s": drift * chance.lognormvariate(0, spread)}, {}
                )
                for which in order
            ]
        false_findings += any(item.significant for item in compare(names, all_runs).differences)
    assert false_findings <= 120 * 0.05 + 5 * (120 * 0.05 * 0.95) ** 0.5


def test_too_few_rounds_give_no_verdict() -> None:
    names = [BASELINE, CONTROL, "a"]
    all_runs = [*runs(BASELINE, SIX[:3]), *runs(CONTROL, SIX[:3]), *runs("a", [1.0, 1.1, 1.2])]
    assert compare(names, all_runs).too_few
    assert not compare(names, all_runs).gains


def test_missing_values_are_not_zero() -> None:
    names = [BASELINE, CONTROL, "a"]
    result = compare(
        names, [*runs(BASELINE, [None] * 6), *runs(CONTROL, [None] * 6), *runs("a", [*SIX])]
    )
    assert result.differences[0].share is None
    assert result.differences[0].p is None
    assert not result.gains


@pytest.mark.parametrize(("entries", "never"), [(0, True), (100, False)])
def test_cpus_that_never_idled_are_detected(entries: int, never: bool) -> None:
    assert compare([BASELINE], runs(BASELINE, SIX, entries)).never_idled is never


def test_uncounted_entries_are_unknown() -> None:
    uncounted = [ComparedRun(BASELINE, 1.0, {"wall_s": 1.0}, {})]
    result = compare([BASELINE], uncounted)
    assert result.entries_per_s is None
    assert not result.never_idled


def test_rounds_are_shuffled_and_every_second_one_is_reversed() -> None:
    orders = list(shuffled_rounds(4, 7, seed=1))
    assert len(orders) == 7
    assert all(sorted(order) == [0, 1, 2, 3] for order in orders)
    for there, back in zip(orders[::2], orders[1::2], strict=False):
        assert back == there[::-1]
    assert len({tuple(order) for order in orders[::2]}) > 1
    assert orders == list(shuffled_rounds(4, 7, seed=1))


def busy(*others_s: float | None, seconds: float = 1.0) -> SettingComparison:
    """Return runs on two CPUs that others used for these times."""
    busy_runs = [
        ComparedRun(BASELINE, seconds, {"wall_s": 1.0}, {}, cpus=2, others_s=time_s)
        for time_s in others_s
    ]
    return compare([BASELINE, CONTROL], busy_runs)


def test_the_share_of_others_covers_all_runs() -> None:
    result = busy(0.3, 0.1, 0.08)
    assert result.others_share == pytest.approx(0.08)
    assert not result.disturbed
    assert busy(0.5, 0.1, 0.1).disturbed
    # Ticks are coarse, so that a difference may be negative; it counts as zero.
    assert busy(-0.01, -0.01).others_share == 0.0


def test_an_unknown_share_of_others_is_none() -> None:
    assert busy(0.3, None).others_share is None
    assert busy().others_share is None
    short = busy(0.3, 0.3, seconds=0.1)  # 0.4 CPU seconds in all
    assert short.others_share is None
    assert not short.disturbed
