"""Every node of every model has an explanation."""

import json

import pytest

from topdown.slots.explanations import explanation
from topdown.slots.model import FOLDER, keys, load
from topdown.slots.modelled.apportioning import LEVEL_1, NODES, UNEXPLAINED


@pytest.mark.parametrize("key", keys())
def test_every_node_has_an_explanation(key: str) -> None:
    for name in load(key).nodes:
        expected_text = explanation(name)
        assert 10 <= len(expected_text.meaning) <= 100
        assert 10 <= len(expected_text.remedy) <= 110


def test_no_explanation_is_left_over() -> None:
    expected_text = json.loads((FOLDER.parent / "explanations.json").read_text())
    used = {name.lower() for key in keys() for name in load(key).nodes}
    modelled = {*LEVEL_1, *UNEXPLAINED, *(name for name, _ in NODES.values())}
    assert set(expected_text) == used | modelled
