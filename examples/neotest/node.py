"""Local benchmarks without a server: ``node.py crc32|sha1|unzlib/wczblk|unzlib/prod|loop``."""

import hashlib
import sys
import time
import zlib
from collections.abc import Callable

from objects import content

MIN_S = 0.1
PAGE = bytes(range(256)) * 16  # 4 KiB
STEPS = 1000


def loop() -> int:
    """Return the sum of squares below 1000: 1000 rounds of the interpreter."""
    total = 0
    for number in range(STEPS):
        total += number * number
    return total


def subject(name: str) -> Callable[[], object]:
    """Return the function to measure."""
    if name.startswith("unzlib/"):
        data_set = {"wczblk": "wczblk1-8", "prod": "prod1-1024"}[name.removeprefix("unzlib/")]
        whole = b"".join(content(data_set, number) for number in range(64))[: len(PAGE)]
        packed = zlib.compress(whole)
        return lambda: zlib.decompress(packed)
    return {
        "crc32": lambda: zlib.crc32(PAGE),
        "sha1": lambda: hashlib.sha1(PAGE).digest(),
        "loop": loop,
    }[name]


def main(name: str) -> None:
    """Repeat the function for 0.1 s, and print the mean time of a call."""
    function = subject(name)
    calls, begin = 0, time.perf_counter()
    end = begin
    while end - begin < MIN_S:
        for _ in range(100):
            function()
        calls += 100
        end = time.perf_counter()
    print(f"BenchmarkCall {calls} {(end - begin) / calls * 1e9:.1f} ns/op")


if __name__ == "__main__":
    main(sys.argv[1])
