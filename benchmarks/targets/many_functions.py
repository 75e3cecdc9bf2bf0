"""A C program with 500 functions that share its time in known parts."""

import subprocess
from pathlib import Path

FUNCTIONS = 500
HOT = "function_7"
_HOT_SHARE = 0.55
_ITERATIONS = 400_000  # per round
_FACTOR = "6364136223846793005UL"  # a chain of multiplications has a constant speed
_MAIN = """
int main(int argc, char **argv) {
    (void)argc;
    unsigned long rounds = strtoul(argv[1], 0, 10), hot = strtoul(argv[2], 0, 10);
    for (unsigned long round = 0; round < rounds; round++) {
%s
    }
    return 0;
}
"""


def source() -> str:
    """Return the program; its arguments are rounds and iterations of the hot function."""
    rest = [1 / (number + 2) for number in range(FUNCTIONS)]
    rest[7] = 0.0
    scale = (1 - _HOT_SHARE) * _ITERATIONS / sum(rest)
    lines = ["#include <stdlib.h>", "volatile unsigned long sink;"]
    calls = []
    for number in range(FUNCTIONS):
        lines.append(
            f"__attribute__((noinline)) void function_{number}(unsigned long n)"
            "{ unsigned long x = sink;"
            f" for (unsigned long i = 0; i < n; i++) x = x * {_FACTOR} + i;"
            " sink = x; }"
        )
        count = "hot" if number == 7 else str(max(1, round(rest[number] * scale)))
        calls.append(f"        function_{number}({count});")
    return "\n".join(lines) + _MAIN % "\n".join(calls)


def hot_iterations(factor: float = 1.0) -> int:
    """Return the iterations of the hot function that make it ``factor`` times as slow."""
    return round(_HOT_SHARE * _ITERATIONS * factor)


def build(folder: Path) -> Path:
    """Return the compiled program."""
    code, program = folder / "many_functions.c", folder / "many_functions"
    code.write_text(source())
    words = ["cc", "-O1", "-fno-omit-frame-pointer", "-fno-ipa-icf", "-o", str(program), str(code)]
    subprocess.run(words, check=True)
    return program
