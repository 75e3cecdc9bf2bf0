"""Random requests from a grammar of commands, known and unknown to both servers."""

import random
from collections.abc import Callable

from tests.live.server.raw_client import request

KEYS = ["k", "other", "counter", "n:1", "n:2", b"\x00bin\xff\r\n", "", "k" * 200]
VALUES = ["", "v", "0", "-1", "41", "1.5", " 1", "01", "x" * 300, b"\r\n$-1\r\n", b"\x00\x01\xfe"]
NUMBERS = ["0", "1", "-1", "7", "100", "9223372036854775807", "-9223372036854775808", "+1", "", "x"]
NUMBERS += ["9223372036854775808", "1e3", "9223372036854775", "-9223372036854775"]
FAR = ["1000", "100000", "5000000"]  # seconds or milliseconds: no key expires during a test
NAMES = ["me", "", "a b", "\xff", "!~", "x" * 50]
Words = list[bytes | str | int]


class RequestGenerator:
    """The same requests for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._kinds: list[Callable[[], Words]] = [
            self._set,
            self._set,
            lambda: ["GET", self._key()],
            lambda: ["MGET", *self._some(self._key)],
            lambda: ["MSET", *self._some(lambda: self._pick(KEYS + VALUES))],
            lambda: [self._pick(["DEL", "UNLINK", "EXISTS"]), *self._some(self._key)],
            lambda: [self._pick(["INCR", "DECR"]), self._key()],
            lambda: [self._pick(["INCRBY", "DECRBY"]), self._key(), self._number()],
            lambda: [
                self._pick(["SETEX", "PSETEX"]),
                self._key(),
                self._long_time(),
                self._value(),
            ],
            lambda: ["SETNX", self._key(), self._value()],
            self._expire,
            lambda: [self._pick(["TTL", "PTTL", "PERSIST", "TYPE", "STRLEN"]), self._key()],
            lambda: [self._pick([*["DBSIZE"] * 4, *["PING"] * 4, "FLUSHALL", "FLUSHDB"])],
            self._connection,
            self._wrong_count,
            self._unknown,
        ]

    def request(self) -> tuple[Words, bytes]:
        """Words and their encoding: usually an array, sometimes an inline request."""
        words = self._random.choice(self._kinds)()
        words[0] = self._any_case(words[0])
        plain = all(isinstance(word, str) and word and word.isalnum() for word in words)
        if plain and self._random.random() < 0.3:
            line = " ".join(str(word) for word in words)
            return words, line.encode() + self._random.choice([b"\n", b"\r\n", b"  \r\n"])
        return words, request(*[w.encode("latin-1") if isinstance(w, str) else w for w in words])

    def _pick(self, choices: list) -> bytes | str:
        return self._random.choice(choices)

    def _key(self) -> bytes | str:
        return self._pick(KEYS)

    def _value(self) -> bytes | str:
        return self._pick(VALUES)

    def _number(self) -> bytes | str:
        return self._pick(NUMBERS)

    def _long_time(self) -> bytes | str:
        """A time to live that outlasts the test, or no time to live."""
        return self._pick([*FAR, "0", "-1", "x", "9223372036854775807", "9223372036854775808"])

    def _some(self, draw: Callable[[], bytes | str]) -> Words:
        return [draw() for _ in range(self._random.randint(1, 6))]

    def _any_case(self, word: bytes | str | int) -> bytes | str | int:
        if not isinstance(word, str):
            return word
        return self._random.choice([word.upper(), word.lower(), word.title()])

    def _set(self) -> Words:
        options: Words = []
        for _ in range(self._random.choice([0, 0, 1, 1, 2, 3])):
            option = self._pick(["NX", "XX", "GET", "KEEPTTL", "EX", "PX", "EXAT", "foo", ""])
            options.append(self._any_case(option))
            if option in {"EX", "PX"} and self._random.random() < 0.9:
                options.append(self._long_time())
            if option == "EXAT":
                options.append(self._pick(["4000000000", "0", "-5", "9223372036854775807"]))
        return ["SET", self._key(), self._value(), *options]

    def _expire(self) -> Words:
        name, times = self._random.choice(
            [
                ("EXPIRE", [*FAR, "0", "-1", *NUMBERS[5:]]),
                ("PEXPIRE", ["1000000", "-1", "9223372036854775807", "-9223372036854775808"]),
                ("EXPIREAT", ["4000000000", "5000000000", "0", "-9223372036854775808"]),
                ("PEXPIREAT", ["4000000000000", "1", "-1", "9223372036854775807"]),
            ]
        )
        flags = ["NX", "XX", "GT", "LT", "foo", b"a\x00b"]
        options = [self._pick(flags) for _ in range(self._random.choice([0, 0, 0, 1, 2]))]
        return [name, self._key(), self._pick(times), *options]

    def _connection(self) -> Words:
        choices: list[Words] = [
            ["ECHO", self._value()],
            ["PING", self._value()],
            ["SELECT", self._pick(["0", "x", "16", "-1", "", "99999999999"])],
            ["AUTH", self._value()],
            ["AUTH", self._pick(["default", "someone"]), self._value()],
            ["AUTH", "a", "b", "c"],
            ["HELLO", self._pick(["1", "4", "x", "", "99999999999999999999"])],
            ["HELLO", "3", self._pick(["AUTH", "foo", "SETNAME", "auth", b"a\x00b"])],
            ["HELLO", "2", "SETNAME", "a b"],
            ["HELLO", "2", "AUTH", "someone", "secret"],
            ["CLIENT", "SETNAME", self._pick(NAMES)],
            ["CLIENT", "GETNAME"],
            ["CLIENT", self._pick(["nothing", "", "a\r\nb", b"a\x00b"])],
            ["CLIENT", "NO-EVICT", self._pick(["on", "OFF", "x"])],
            ["CLIENT", "LIST", "TYPE", self._pick(["pubsub", "REPLICA", "x"])],
            ["CONFIG", "GET", self._pick(["save", "SAVE", "appendonly", "nothing*"])],
            ["CONFIG", self._pick(["nothing", "x" * 200])],
        ]
        return self._random.choice(choices)

    def _wrong_count(self) -> Words:
        names = ["GET", "SET", "MGET", "MSET", "DEL", "EXISTS", "INCR", "INCRBY", "EXPIRE", "TTL"]
        names += ["DBSIZE", "ECHO", "PING", "SELECT", "AUTH", "RESET", "CLIENT", "CONFIG", "TYPE"]
        count = self._random.choice([0, 3, 7])
        return [self._pick(names), *[self._pick(["a", "b"]) for _ in range(count)]]

    def _unknown(self) -> Words:
        names: list[bytes | str] = ["foo", "", "x" * 300, "client|id", b"a\x00b", b"a\r\nb", "get "]
        arguments = ["a", "", "y" * 100, b"\x00", b"c\r\nd", "'", b"e\x00f"]
        return [self._pick(names), *self._some(lambda: self._pick(arguments))]
