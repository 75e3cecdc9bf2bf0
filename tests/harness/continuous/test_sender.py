"""The thread that sends segments, with receivers of the test."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.continuous import sender as sender_module
from harness.continuous.endpoint import Delivery
from harness.continuous.sender import ATTEMPTS, MAX_REASONS, QUEUE_SEGMENTS, ProfileSender
from stallscope.errors import RecordingError

SENT = Delivery()
BUSY = Delivery("HTTP 503 busy", may_retry=True)


def sender_of(post: Callable[[bytes], Delivery], **options: float) -> ProfileSender:
    result = ProfileSender(lambda path: path.name.encode(), post, back_off_s=1e-4, **options)
    result.start()
    return result


def test_segments_are_sent_in_their_order() -> None:
    contents: list[bytes] = []
    sender = sender_of(lambda content: contents.append(content) or SENT)
    for name in ("a", "bb"):
        sender.add(Path(name))
    sender.end()
    assert contents == [b"a", b"bb"]
    assert (sender.counts.segments, sender.counts.sent_bytes) == (2, 3)
    assert not sender.counts.dropped


def test_a_busy_receiver_gets_the_same_segment_again() -> None:
    replies = [BUSY, BUSY, SENT]
    sender = sender_of(lambda _: replies.pop(0))
    sender.add(Path("a"))
    sender.end()
    counts = sender.counts
    assert (counts.segments, counts.retries, counts.failure) == (1, 2, "HTTP 503 busy")


def test_a_receiver_that_stays_busy_loses_the_segment_by_name() -> None:
    tries: list[bytes] = []
    sender = sender_of(lambda content: tries.append(content) or BUSY)
    sender.add(Path("a"))
    sender.end()
    assert tries == [b"a"] * ATTEMPTS
    assert dict(sender.counts.dropped) == {"HTTP 503 busy": 1}
    assert sender.counts.last_dropped == "a"


def test_a_refusal_is_not_repeated() -> None:
    tries: list[bytes] = []
    sender = sender_of(lambda content: tries.append(content) or Delivery("HTTP 400 bad"))
    sender.add(Path("a"))
    sender.end()
    assert len(tries) == 1
    assert dict(sender.counts.dropped) == {"HTTP 400 bad": 1}


def test_adding_never_waits_for_a_receiver_that_hangs() -> None:
    is_hanging, release = threading.Event(), threading.Event()

    def hang(content: bytes) -> Delivery:
        del content
        is_hanging.set()
        release.wait(30)
        return SENT

    sender = sender_of(hang)
    sender.add(Path("first"))
    assert is_hanging.wait(30)
    for number in range(QUEUE_SEGMENTS + 3):
        sender.add(Path(f"segment-{number}"))
    assert dict(sender.counts.dropped) == {"the queue was full": 3}
    assert sender.counts.last_dropped == "segment-2"
    release.set()
    sender.end()
    assert sender.counts.segments == 1 + QUEUE_SEGMENTS


def test_the_end_drops_what_a_busy_receiver_did_not_take() -> None:
    sender = ProfileSender(lambda _: b"", lambda _: BUSY, back_off_s=1000)
    sender.start()
    for name in ("a", "b"):
        sender.add(Path(name))
    sender.end(limit_s=0.0)
    assert sum(sender.counts.dropped.values()) == 2
    assert set(sender.counts.dropped) <= {"HTTP 503 busy", "the recording ended"}


def test_a_segment_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    def encode(path: Path) -> bytes:
        raise RecordingError(f"{path.name} is damaged")

    sender = ProfileSender(encode, lambda _: SENT)
    sender.start()
    (tmp_path / "kept").mkdir()
    sender.add(tmp_path / "kept")
    sender.add(tmp_path / "removed")
    sender.end()
    assert dict(sender.counts.dropped) == {
        "kept is damaged": 1,
        "it was removed before it was sent": 1,
    }


def test_reasons_are_of_limited_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sender_module, "QUEUE_SEGMENTS", 100)
    numbers = iter(range(100))
    sender = sender_of(lambda _: Delivery(f"HTTP 400 {next(numbers)}"))
    for number in range(MAX_REASONS + 5):
        sender.add(Path(str(number)))
    sender.end()
    assert len(sender.counts.dropped) == MAX_REASONS + 1
    assert sender.counts.dropped["other reasons"] == 5
