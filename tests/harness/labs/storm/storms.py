"""Options of a storm on a simulated disk, and measurements derived from others."""

from dataclasses import replace
from typing import Any

from harness.labs.storm.measurement import StormMeasurement
from harness.labs.storm.options import StormOptions, TrialOptions
from harness.labs.storm.result import StormRow
from ioprobe.storm import StormRound, StormSetting

SERVERS, SERVICE_NS = 8, 1_000_000
OPTIONS = StormOptions(
    path=f"sim:servers={SERVERS},service=1ms",
    limits=(128, 8),
    trial=TrialOptions(limits=(32, 16, 9, 8), rounds=5, duration_s=2),
)


def row_of(rows: tuple[StormRow, ...], limit: int | None) -> StormRow:
    (row,) = (row for row in rows if row.limit == limit)
    return row


def with_values(storm: StormMeasurement, setting: StormSetting, **values: Any) -> StormMeasurement:
    """The storm with other values in all rounds of a setting."""
    rounds = tuple(
        replace(result, **values) if result.run.setting == setting else result
        for result in storm.rounds
    )
    return replace(storm, rounds=rounds)


def with_bandwidth(
    storm: StormMeasurement, setting: StormSetting, factors: list[float]
) -> StormMeasurement:
    """The storm with the reference's bandwidth times a factor per round at a setting."""
    reference = {
        result.run.round: result.writer_bytes_per_s
        for result in storm.all_rounds(storm.reference_setting)
    }

    def scale(result: StormRound) -> StormRound:
        if result.run.setting != setting:
            return result
        number = result.run.round
        return replace(result, writer_bytes_per_s=(reference[number] or 0) * factors[number])

    return replace(storm, rounds=tuple(map(scale, storm.rounds)))
