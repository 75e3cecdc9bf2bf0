"""A Python program of which it is known who calls whom, and how much CPU time goes where.

Prints "ready", works for as many seconds as its argument says, then prints the CPU time that each
part took of the main thread, as JSON. Runs on a bare interpreter, without a site or modules in C.
Further words: "thread" for another one without the GIL, "plain" without odd names, "shallow" without
deep recursion, "untimed" without system calls.
"""

import sys
import time
import zlib
from _thread import start_new_thread

DEPTH = 10 if "shallow" in sys.argv else 300


def square(count):
    total = 0
    for number in range(count):
        total += number * number
    return total


def spin():
    total, count = 0, 4000
    while count:
        count -= 1
        total ^= count
    return total


def numbers():
    for _ in range(60):
        yield square(20)


def summing():
    return sum(numbers())


def key(number):
    return square(15) - number


def sorting():
    return sorted(range(60), key=key)


def deep(depth=DEPTH):
    return deep(depth - 1) if depth else square(3000)


class Odd:
    def naïve(self):  # noqa: PLC2401
        return list(map(lambda x: x * x, range(1500)))  # noqa: C417


def up(depth):
    return down(depth - 1) if depth else 0


def down(depth):
    return up(depth - 1) if depth else 1


def up_and_down():
    """Recurse and return all the time: no stack lasts longer than a microsecond."""
    for turn in range(150):
        up(turn & 7)
        down(turn & 3)


def odd_names():
    """Return a function with a name and a file that no source would have."""
    made = {"square": square}
    exec(compile("def odd():\n\n    return square(1500)\n", "/tmp/\udcff\n<b>.py", "exec"), made)
    name = "exec'd\u202e\ud800"
    made["odd"].__code__ = made["odd"].__code__.replace(co_name=name, co_qualname=name)
    return made["odd"]


def compressing():
    """Work without the GIL, but for moments."""
    block = bytes(range(256)) * 40_000
    while True:
        zlib.crc32(block)


def main(seconds):
    parts = {
        "spin": spin, "summing": summing, "sorting": sorting, "deep": deep, "naïve": Odd().naïve,
        "up_and_down": up_and_down,
    }  # fmt: skip
    if "plain" not in sys.argv:  # CPython 3.13 dies of such a name when it writes its map
        parts["odd"] = odd_names()
    took = dict.fromkeys(parts, 0)
    end = time.monotonic() + seconds
    while "untimed" in sys.argv and time.monotonic() < end:
        for part in parts.values():
            part()
    while time.monotonic() < end:
        for name, part in parts.items():
            begin = time.thread_time_ns()
            part()
            took[name] += time.thread_time_ns() - begin
    return took


if __name__ == "__main__":
    if "thread" in sys.argv:
        start_new_thread(compressing, ())
    print("ready", flush=True)
    print(str(main(float(sys.argv[1]))).replace("'", '"'), flush=True)
