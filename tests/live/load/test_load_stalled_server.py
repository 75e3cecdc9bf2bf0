"""The known answer of a stalled server, once against a real one: a stall of 0.2 s at 500/s."""

import time
from collections.abc import Callable

import pytest

from tests.live.load.conftest import Run
from tests.live.load.resp_server import Peer, after_ping, serving, usual

RATE = 500
STALL_S = 0.2
DURATION_S = 1.0
STALLED_REQUEST = 150


def stall(peer: Peer, words: list[bytes]) -> bytes:
    if peer.requests == STALLED_REQUEST:
        time.sleep(STALL_S)
    return usual(peer, words)


def test_latency_counts_from_the_intended_start(load: Callable[..., Run]) -> None:
    with serving(after_ping(stall)) as server:
        run = load(
            server.target,
            *("--mode", "open", "--rate", RATE, "--arrivals", "fixed"),
            *("--duration", DURATION_S, "--connections", 1),
        )
    assert run.done["requests"] == RATE * DURATION_S
    latency, service = run.done["latency_us"], run.done["service_us"]
    # Those due in the stall waited for its rest: a fifth of all. Had the machine its own stalls,
    # latency would be longer, never shorter.
    assert latency["p90"] >= 0.9 * (STALL_S - 0.10 * DURATION_S) * 1e6
    assert latency["p99"] >= 0.9 * (STALL_S - 0.01 * DURATION_S) * 1e6
    assert latency["max"] >= STALL_S * 1e6
    assert run.done["send_lag_us"]["p90"] >= 0.8 * latency["p90"]
    # Only one request was under way in the stall.
    assert service["max"] >= STALL_S * 1e6
    assert service["p99"] < 0.5 * latency["p99"]
    assert run.done["rate_achieved"] == pytest.approx(RATE, rel=0.1)


def test_connections_take_turns(load: Callable[..., Run]) -> None:
    with serving(after_ping(usual)) as server:
        run = load(
            server.target,
            *("--mode", "open", "--rate", RATE, "--arrivals", "fixed", "--duration", 0.4),
            *("--connections", 10, "--pipeline", 4),
        )
        asked = [peer.requests for peer in server.peers]
    assert sum(asked) == run.done["requests"] == 200
    # Twenty each, but where some were slower to answer than others.
    assert min(asked) >= 10
    assert max(asked) <= 40
