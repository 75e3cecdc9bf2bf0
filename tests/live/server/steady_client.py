"""A well-behaved client that sends requests continuously and checks every reply."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.live.server.raw_client import PATIENCE_S, RawClient

ROUNDS_AFTER = 30


class SteadyClient:
    """Runs on a separate thread; `answered` waits for correct replies."""

    def __init__(self, port: int, *, evicts: bool = False) -> None:
        self._evicts = evicts
        self.error: BaseException | None = None
        self._answered = 0
        self._changed = threading.Condition()
        self._stop = False
        self._client = RawClient(port)
        assert self._client.ask("SET", "steady", "here") == b"+OK\r\n"
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def answered(self, more: int) -> None:
        """Wait for this number of correct replies; fails on a wrong one."""
        with self._changed:
            target = self._answered + more
            self._changed.wait_for(
                lambda: self.error is not None or self._answered >= target, PATIENCE_S
            )
            assert self.error is None, self.error
            assert self._answered >= target, "the others are no longer answered"

    def end(self) -> None:
        self._stop = True
        self._thread.join()
        self._client.socket.close()
        assert self.error is None, self.error

    def _run(self) -> None:
        number, right = 0, {b"$4\r\nhere\r\n"}
        if self._evicts:
            right.add(b"$-1\r\n")
        try:
            while not self._stop:
                number += 1
                assert self._client.ask("ECHO", number) == b"$%d\r\n%d\r\n" % (
                    len(str(number)),
                    number,
                )
                reply = self._client.ask("GET", "steady")
                assert reply in right
                if reply == b"$-1\r\n":  # an evicted key does not come back
                    right = {reply}
                with self._changed:
                    self._answered += 1
                    self._changed.notify_all()
        except BaseException as error:
            with self._changed:
                self.error = error
                self._changed.notify_all()


@contextmanager
def steady_client(port: int, *, evicts: bool = False) -> Iterator[SteadyClient]:
    """A client that is answered before, during and after the block; of a server that `evicts`
    keys it takes that its own is gone.
    """
    client = SteadyClient(port, evicts=evicts)
    try:
        client.answered(1)
        yield client
        client.answered(ROUNDS_AFTER)
    finally:
        client.end()
