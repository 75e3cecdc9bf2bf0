"""ModelReading counter values give the nodes that independent implementations compute from them."""

import json
from pathlib import Path
from typing import Any

import pytest

from topdown.slots.replay.model_readings import read_model_readings

REDUCED = sorted((Path(__file__).parent / "vectors").glob("*.json"))
FULL = Path(__file__).parents[4] / "shared" / "facts" / "topdown_vectors"
PATHS = [*REDUCED, *sorted(FULL.glob("*.json"))]


def agrees(value: float | None, expected: float) -> bool:
    """1e-9 relative or 1e-12 absolute."""
    return value is not None and abs(value - expected) <= max(1e-12, 1e-9 * abs(expected))


def expected_nodes(vector: dict[str, Any]) -> dict[str, dict[str, Any]]:
    nodes: dict[str, dict[str, Any]] = dict(vector.get("expect", {}))
    for key in ("expect_perf", "expect_telemetry"):
        nodes |= {name: {"value": value} for name, value in vector.get(key, {}).items()}
    return nodes


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_replay_agrees(path: Path) -> None:
    vectors = json.loads(path.read_text())
    result = [reading.tree() for reading in read_model_readings(path)]
    assert len(result) == len(vectors)
    compared = 0
    for vector, tree in zip(vectors, result, strict=True):
        assert tree.model.cpu == vector["cpu"]
        for name, expected in expected_nodes(vector).items():
            node = tree.nodes[name]
            assert agrees(node.value, expected["value"]), (vector["cpu"], name, node)
            if "above_threshold" in expected:
                assert node.above_threshold == expected["above_threshold"], name
            if "level" in expected:
                assert node.level == expected["level"], name
                parent = expected["parent"]
                assert node.parent == (parent[0] if isinstance(parent, list) else parent), name
            compared += 1
    assert compared >= 10 * len(vectors)


def test_the_reduced_set_has_every_cpu_of_the_given_ones() -> None:
    assert {path.stem for path in FULL.glob("*.json")} <= {path.stem for path in REDUCED}
