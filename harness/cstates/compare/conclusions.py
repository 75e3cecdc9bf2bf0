"""Conclusions of a comparison: which settings gain, which cost, or why there is no verdict."""

from collections.abc import Iterator

from cstates.comparison.differences import Difference, DifferenceStatus, SettingComparison
from harness.cstates.compare.metrics import description
from stallscope.statistics.multiple_tests import ALPHA, min_group_size


def conclusions(comparison: SettingComparison, rounds: int) -> Iterator[str]:
    """Yield a sentence for each difference with a verdict, and for a missing gain."""
    if not comparison.differences or comparison.too_few:
        yield _too_few_text(comparison, rounds)
        return
    yield from _unsteady_texts(comparison)
    for difference in comparison.differences:
        if difference.status not in (DifferenceStatus.CHANCE, DifferenceStatus.UNSTEADY):
            yield _difference_text(difference)
    steady = any(not difference.unsteady for difference in comparison.differences)
    if not comparison.gains and steady:
        yield _no_gain_text(comparison, rounds)


def share_text(share: float | None) -> str:
    """Return a share in percent, or "an unknown share"."""
    return "an unknown share" if share is None else f"{share * 100:.1f} %"


def p_text(value: float | None) -> str:
    """Return a p-value; if it would be rounded to zero, return a bound."""
    if value is None:
        return "n/a"
    return f"{value:.3f}" if value >= 0.001 else "<0.001"


def _no_gain_text(comparison: SettingComparison, rounds: int) -> str:
    if comparison.disturbed:
        return (
            "No verdict on gains: the machine was too busy. Others used "
            f"{share_text(comparison.others_share)} of these CPUs' time, and CPUs that are kept "
            "awake hardly show the cost of sleeping. Try again with less other load."
        )
    if comparison.never_idled:
        return "Nothing to gain: the CPUs hardly slept as it is, so sleeping cost nothing."
    return f"Nothing to gain shown by {rounds} rounds: no setting took less."


def _too_few_text(comparison: SettingComparison, rounds: int) -> str:
    others, metrics = len(comparison.settings) - 2, len(comparison.metrics)
    compared = f"{others} setting{'s' if others > 1 else ''} and {metrics} metrics"
    count = "1 round is" if rounds == 1 else f"{rounds} rounds are"
    return (
        f"No verdict: {count} too few for {compared}; {min_group_size(others * metrics)} are "
        "needed."
    )


def _unsteady_texts(comparison: SettingComparison) -> Iterator[str]:
    """Yield the metrics without a verdict because the control differs from the baseline."""
    for control in comparison.controls:
        if control.p is not None and control.p < ALPHA:
            share = abs(control.share or 0.0) * 100
            yield (
                f"No verdict on {_name(control)}: runs without changes differ by {share:.1f} % "
                f"(p {p_text(control.p)}), so something else changed between runs. Try again with "
                "more rounds, or with less other load."
            )


def _name(difference: Difference) -> str:
    return description(difference.metric)


def _difference_text(difference: Difference) -> str:
    share = abs(difference.share or 0.0) * 100
    sign = "less" if (difference.share or 0.0) < 0 else "more"
    p = p_text(difference.p_corrected)
    text = f"{difference.setting}: {share:.1f} % {sign} {_name(difference)} (p {p} after Holm"
    if difference.status is DifferenceStatus.SMALL:
        minimum = f"{difference.min_effect * 100:g} %"
        return f"{text}): no difference, because less than {minimum} counts as none."
    control = abs(difference.control_share or 0.0) * 100
    if difference.status is DifferenceStatus.CONTROL:
        return f"{text}): no difference, because runs without changes differ by {control:.1f} %."
    return f"{text}; runs without changes differ by {control:.1f} %)."
