"""stallscope-load against targets that refuse, close, lie, or send anything but RESP."""

import socket
import time
from collections.abc import Callable

import pytest

from tests.live.load.conftest import Run
from tests.live.load.resp_server import Answer, GoneError, Peer, after_ping, serving, usual

Load = Callable[..., Run]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def test_nobody_listens(load: Load) -> None:
    run = load(f"127.0.0.1:{free_port()}")
    assert run.status == 4
    assert "Connection refused" in run.messages
    assert "remedy:" in run.messages
    assert not run.directory.exists()


@pytest.mark.parametrize(
    ("greeting", "why"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "no-resp"),
        (b"-ERR max number of clients reached\r\n", "max number of clients"),
        (b"-DENIED \x1b[31m\r\n", "DENIED ?[31m"),
        (b"", "closed"),
    ],
)
def test_no_server_of_ours(load: Load, greeting: bytes, why: str) -> None:
    def answer(peer: Peer, words: list[bytes]) -> bytes:
        del words
        peer.socket.sendall(greeting)
        raise GoneError

    with serving(answer) as server:
        run = load(server.target)
    assert run.status == 4
    assert why in run.messages


def misbehaving(every: int, answer: Answer) -> Answer:
    """An answer of the usual kind, but for each so-many-th request of a connection."""
    return after_ping(
        lambda peer, words: (answer if peer.requests % every == 0 else usual)(peer, words)
    )


def closed(peer: Peer, words: list[bytes]) -> bytes:
    raise GoneError


def half_a_reply(peer: Peer, words: list[bytes]) -> bytes:
    peer.socket.sendall(b"$100\r\nabc")
    raise GoneError


def garbage(peer: Peer, words: list[bytes]) -> bytes:
    return b"\x00\xff\r\n"


def reset(peer: Peer, words: list[bytes]) -> bytes:
    linger_nothing = b"\x01\x00\x00\x00\x00\x00\x00\x00"
    peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger_nothing)
    raise GoneError


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (closed, "closed"),
        (half_a_reply, "closed"),
        (garbage, "no-resp"),
        (reset, "reset"),
    ],
)
def test_lost_connections_are_counted_and_opened_again(
    load: Load, answer: Answer, kind: str
) -> None:
    with serving(misbehaving(20, answer)) as server:
        run = load(server.target, "--duration", 0.3)
        connections = len(server.peers)
    assert run.status == 0
    assert set(run.done["errors_by_kind"]) == {kind}
    assert run.done["requests"] >= 4 * 19
    assert connections > 4
    assert any("connections" in warning for warning in run.done["warnings"])


def test_a_target_that_goes_away_ends_the_run(load: Load) -> None:
    with serving(after_ping(usual)) as server:

        def leave(peer: Peer, words: list[bytes]) -> bytes:
            if sum(each.requests for each in server.peers) > 200:
                server.close()
                raise GoneError
            return usual(peer, words)

        server.answer = after_ping(leave)
        run = load(server.target, "--duration", 60)
    assert run.status == 4
    assert "closed all connections" in run.messages
    assert run.done["requests"] >= 190
    assert run.document["requests"] == run.done["requests"]
    assert (run.directory / "intended.hlog").stat().st_size > 0


def test_a_target_that_falls_silent_is_told(load: Load) -> None:
    def silent(peer: Peer, words: list[bytes]) -> bytes:
        return usual(peer, words) if peer.requests <= 10 else b""

    with serving(after_ping(silent)) as server:
        run = load(server.target)
    assert run.done["requests"] == 40
    assert any("4 requests had no reply" in warning for warning in run.done["warnings"])


def test_keys_that_cannot_be_set_end_it_before_the_run(load: Load) -> None:
    def silent(peer: Peer, words: list[bytes]) -> bytes:
        return usual(peer, words) if peer.requests <= 10 else b""

    with serving(after_ping(silent)) as server:
        run = load(server.target, "--fill")
    assert run.status == 4
    assert "--fill without a reply" in run.messages


def lose_one(peer: Peer, words: list[bytes]) -> bytes:
    return b"" if peer.requests == 20 else usual(peer, words)


def double_one(peer: Peer, words: list[bytes]) -> bytes:
    return usual(peer, words) * (2 if peer.requests == 20 else 1)


def foreign_one(peer: Peer, words: list[bytes]) -> bytes:
    return usual(peer, [b"GET", b"not-yours:1"] if peer.requests == 20 else words)


def swap_two() -> Answer:
    held: dict[int, bytes] = {}

    def answer(peer: Peer, words: list[bytes]) -> bytes:
        if peer.requests == 20:
            held[peer.number] = usual(peer, words)
            return b""
        return usual(peer, words) + held.pop(peer.number, b"")

    return answer


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("lost", lose_one),
        ("doubled", double_one),
        ("foreign", foreign_one),
        ("reordered", swap_two()),
    ],
)
def test_replies_mixed_up_are_found(load: Load, kind: str, answer: Answer) -> None:
    with serving(after_ping(answer)) as server:
        run = load(
            server.target,
            *("--check", "--pipeline", 4, "--connections", 2),
            # So many that both connections come to their twentieth on a busy machine, too.
            *("--requests", 4_000, "--duration", 60),
        )
    assert run.status == 4
    assert run.done[kind] == 2
    assert "replies were lost" in run.messages


def test_a_backlog_at_the_end_is_unsent_not_lost(load: Load) -> None:
    """The target needs 10 ms a request and is asked for 5,000 a second."""

    def slow(peer: Peer, words: list[bytes]) -> bytes:
        time.sleep(0.01)
        return usual(peer, words)

    with serving(after_ping(slow)) as server:
        run = load(
            server.target,
            *("--check", "--pipeline", 4, "--connections", 2),
            *("--mode", "open", "--rate", 5_000, "--duration", 1),
        )
    assert run.status == 0, run.messages
    assert run.done["lost"] == 0
    assert sum(thread["unsent"] for thread in run.document["threads"]) > 0
    assert sum(thread["unanswered"] for thread in run.document["threads"]) == 0


def test_a_reply_without_end_takes_no_memory(load: Load) -> None:
    def endless(peer: Peer, words: list[bytes]) -> bytes:
        peer.socket.sendall(b"$536870912\r\n")
        for _ in range(200):
            peer.socket.sendall(b"x" * 65_536)
        raise GoneError

    with serving(misbehaving(10, endless)) as server:
        run = load(server.target, "--connections", 2)
    assert run.status == 0
    assert run.done["errors_by_kind"]["closed"] >= 1
