"""Latency of a stalled server, for which the answer is known: a stall of 0.2 s at 500/s."""

import time
from collections.abc import Callable

import pytest

from tests.live.load.conftest import Run
from tests.live.load.resp_server import Peer, after_ping, default_reply, serving

RATE = 500
STALL_S = 0.2
DURATION_S = 1.0
STALLED_REQUEST = 150


def stall(peer: Peer, words: list[bytes]) -> bytes:
    if peer.requests == STALLED_REQUEST:
        time.sleep(STALL_S)
    return default_reply(peer, words)


def test_latency_counts_from_the_intended_start(load: Callable[..., Run]) -> None:
    with serving(after_ping(stall)) as server:
        run = load(
            server.target,
            *("--mode", "open", "--rate", RATE, "--arrivals", "fixed"),
            *("--duration", DURATION_S, "--connections", 1),
        )
    assert run.done["requests"] == RATE * DURATION_S
    latency, service = run.done["latency_us"], run.done["service_us"]
    # A fifth of all requests were due in the stall and waited for its end. Stalls of the machine
    # can only make latency longer.
    assert latency["p90"] >= 0.9 * (STALL_S - 0.10 * DURATION_S) * 1e6
    assert latency["p99"] >= 0.9 * (STALL_S - 0.01 * DURATION_S) * 1e6
    assert latency["max"] >= STALL_S * 1e6
    assert run.done["send_lag_us"]["p90"] >= 0.8 * latency["p90"]
    # Only one request was outstanding in the stall.
    assert service["max"] >= STALL_S * 1e6
    assert service["p99"] < 0.5 * latency["p99"]
    assert run.done["rate_achieved"] == pytest.approx(RATE, rel=0.1)


def test_connections_take_turns(load: Callable[..., Run]) -> None:
    with serving(after_ping(default_reply)) as server:
        run = load(
            server.target,
            *("--mode", "open", "--rate", RATE, "--arrivals", "fixed", "--duration", 0.4),
            *("--connections", 10, "--pipeline", 4),
        )
        requests = [peer.requests for peer in server.peers]
    assert sum(requests) == run.done["requests"] == 200
    # Twenty per connection, if all replies took equally long.
    assert min(requests) >= 10
    assert max(requests) <= 40
