"""Every cause of the model names its uncertainty."""

from topdown.slots.modelled.apportioning import (
    NODES,
)
from topdown.slots.modelled.constants import uncertainties
from topdown.slots.modelled.pipeline import PipelineStall


def test_every_cause_but_width_has_a_node_and_says_how_unsure_it_is() -> None:
    assert {*NODES} == {*PipelineStall} - {PipelineStall.WIDTH}
    assert {*uncertainties()} == {cause.name.lower() for cause in NODES}
