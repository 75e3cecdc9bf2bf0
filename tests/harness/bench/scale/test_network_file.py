"""Networks in TOML files."""

from pathlib import Path

import pytest

from harness.bench.scale.network_file import read_networks
from stallscope.errors import StallscopeError

BASE = """
customers = 20
think_time_s = 4
[[centre]]
name = "cpu"
demand_s = 2
[[centre]]
name = "lock"
demand_s = 3
"""


def _read(tmp_path: Path, text: str):
    path = tmp_path / "n.toml"
    path.write_text(text)
    return read_networks(path)


def test_what_if_cases_change_a_centre(tmp_path) -> None:
    text = (
        BASE
        + '[[what_if]]\nname="half"\ncentre="lock"\ndemand_factor=0.5\n'
        + '[[what_if]]\nname="CPUs"\ncentre="cpu"\nservers=4\n'
        + '[[what_if]]\nname="faster users"\nthink_time_s=1\n'
    )
    base, half, servers, users = _read(tmp_path, text)
    assert half.centres[1].demand_s == 1.5
    assert half.centres[0] == base.centres[0]
    assert servers.centres[0].servers == 4
    assert (base.think_s, users.think_s) == (4, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("customer = 1\ncentre = []", "unknown key 'customer', did you mean 'customers'"),
        (BASE + "demands = 1", "centre 2: unknown key 'demands', did you mean 'demand_s'"),
        ("customers = 0\n[[centre]]\nname='a'\ndemand_s=1", "0 customers, expected 1"),
        ("customers = 1\ncentre = []", "expected 1 to 100 centres"),
        (BASE + "[[centre]]\nname='cpu'\ndemand_s=1", "different names"),
        (BASE + "[[what_if]]\nname='x'\ncentre='cpus'\nservers=2", "did you mean 'cpu'"),
        (BASE + "[[what_if]]\nname='x'\nservers=2", "name the centre"),
        ("customers = ", "Invalid value"),
        ("customers = 'x'\ncentre=[]", "Expected `int`"),
    ],
)  # fmt: skip
def test_mistakes_are_named(tmp_path, text, message) -> None:
    with pytest.raises(StallscopeError, match=message):
        _read(tmp_path, text)
