"""Run rounds of Python work for N seconds; print rounds, CPU seconds and wall seconds."""

import sys
import time


def square(count):
    """Return a sum of squares."""
    total = 0
    for number in range(count):
        total += number * number
    return total


def numbers():
    """Yield numbers, as a generator."""
    for number in range(50):
        yield square(number)


def deep(depth):
    """Return the sum of the numbers, from deeper in the stack."""
    return deep(depth - 1) if depth else sum(numbers())


def key(number):
    """Return a sort key; called from C."""
    return -number


def one_round():
    """Do one round of work."""
    return sorted(range(200), key=key)[0] + deep(20)


def main(seconds):
    """Run rounds until the time is over."""
    print("ready", flush=True)
    begin, cpu, rounds = time.monotonic(), time.process_time(), 0
    while time.monotonic() - begin < seconds:
        one_round()
        rounds += 1
    print(rounds, time.process_time() - cpu, time.monotonic() - begin)


if __name__ == "__main__":
    main(float(sys.argv[1]))
