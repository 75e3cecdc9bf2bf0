"""stallscope-load against targets that refuse, close, lie, or send anything but RESP."""

import socket
import time
from collections.abc import Callable

import pytest

from tests.live.load.conftest import Run
from tests.live.load.resp_server import (
    GoneError,
    Peer,
    ReplyFunction,
    after_ping,
    default_reply,
    serving,
)

Load = Callable[..., Run]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def test_a_closed_port_is_reported(load: Load) -> None:
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
def test_a_server_of_another_protocol_is_reported(load: Load, greeting: bytes, why: str) -> None:
    def answer(peer: Peer, words: list[bytes]) -> bytes:
        del words
        peer.socket.sendall(greeting)
        raise GoneError

    with serving(answer) as server:
        run = load(server.target)
    assert run.status == 4
    assert why in run.messages


def misbehaving(every: int, answer: ReplyFunction) -> ReplyFunction:
    """A reply function that misbehaves for every N-th request of a connection."""
    return after_ping(
        lambda peer, words: (answer if peer.requests % every == 0 else default_reply)(peer, words)
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
def test_lost_connections_are_counted_and_reopened(
    load: Load, answer: ReplyFunction, kind: str
) -> None:
    with serving(misbehaving(20, answer)) as server:
        run = load(server.target, "--duration", 0.3)
        connections = len(server.peers)
    assert run.status == 0
    assert set(run.done["errors_by_kind"]) == {kind}
    assert run.done["requests"] >= 4 * 19
    assert connections > 4
    assert any("connections" in warning for warning in run.done["warnings"])


def test_a_target_that_closes_ends_the_run(load: Load) -> None:
    with serving(after_ping(default_reply)) as server:

        def leave(peer: Peer, words: list[bytes]) -> bytes:
            if sum(client.requests for client in server.peers) > 200:
                server.close()
                raise GoneError
            return default_reply(peer, words)

        server.reply_function = after_ping(leave)
        run = load(server.target, "--duration", 60)
    assert run.status == 4
    assert "closed all connections" in run.messages
    assert run.done["requests"] >= 190
    assert run.document["requests"] == run.done["requests"]
    assert (run.directory / "intended.hlog").stat().st_size > 0


def silent_after_ten(peer: Peer, words: list[bytes]) -> bytes:
    return default_reply(peer, words) if peer.requests <= 10 else b""


def test_a_target_that_stops_replying_is_reported(load: Load) -> None:
    with serving(after_ping(silent_after_ten)) as server:
        run = load(server.target)
    assert run.done["requests"] == 40
    assert any("4 requests had no reply" in warning for warning in run.done["warnings"])


def test_a_failed_fill_ends_the_loader_before_the_run(load: Load) -> None:
    with serving(after_ping(silent_after_ten)) as server:
        run = load(server.target, "--fill")
    assert run.status == 4
    assert "did not reply to a SET of --fill" in run.messages


def lose_reply(peer: Peer, words: list[bytes]) -> bytes:
    return b"" if peer.requests == 20 else default_reply(peer, words)


def double_reply(peer: Peer, words: list[bytes]) -> bytes:
    return default_reply(peer, words) * (2 if peer.requests == 20 else 1)


def send_foreign_reply(peer: Peer, words: list[bytes]) -> bytes:
    return default_reply(peer, [b"GET", b"not-yours:1"] if peer.requests == 20 else words)


def swap_replies() -> ReplyFunction:
    held: dict[int, bytes] = {}

    def answer(peer: Peer, words: list[bytes]) -> bytes:
        if peer.requests == 20:
            held[peer.number] = default_reply(peer, words)
            return b""
        return default_reply(peer, words) + held.pop(peer.number, b"")

    return answer


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("lost", lose_reply),
        ("doubled", double_reply),
        ("foreign", send_foreign_reply),
        ("reordered", swap_replies()),
    ],
)
def test_wrong_replies_are_counted_by_kind(load: Load, kind: str, answer: ReplyFunction) -> None:
    with serving(after_ping(answer)) as server:
        run = load(
            server.target,
            *("--check", "--pipeline", 4, "--connections", 2),
            # Enough that both connections reach their twentieth request on a busy machine.
            *("--requests", 4_000, "--duration", 60),
        )
    assert run.status == 4
    assert run.done[kind] == 2
    assert "replies were lost" in run.messages


def test_a_backlog_at_the_end_is_unsent_not_lost(load: Load) -> None:
    """The target needs 10 ms per request; the rate is 5,000 per second."""

    def slow(peer: Peer, words: list[bytes]) -> bytes:
        time.sleep(0.01)
        return default_reply(peer, words)

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


def test_an_endless_reply_uses_bounded_memory(load: Load) -> None:
    def endless(peer: Peer, words: list[bytes]) -> bytes:
        peer.socket.sendall(b"$536870912\r\n")
        for _ in range(200):
            peer.socket.sendall(b"x" * 65_536)
        raise GoneError

    with serving(misbehaving(10, endless)) as server:
        run = load(server.target, "--connections", 2)
    assert run.status == 0
    assert run.done["errors_by_kind"]["closed"] >= 1
