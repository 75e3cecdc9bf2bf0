"""Write the assembler source of a program with N functions, PADDING bytes apart.

Every function has a frame and calls the next one in the table, so that stacks are deep and varied;
``walk.c``, which is linked to it, walks through all of them in an endless loop.
"""

import sys


def name_of(number: int) -> str:
    """Return the symbol of a function; every second one is a C++ name."""
    plain = f"function_number_{number}"
    return f"_ZN7project{len(plain)}{plain}Ev" if number % 2 else plain


def write(count: int, padding_bytes: int = 0) -> None:
    """Print the functions f_0 .. f_<count-1> and ``functions``, the table of their addresses."""
    lines = [".text"]
    for number in range(count):
        name = name_of(number)
        lines += [
            f".globl {name}\n.type {name},@function\n{name}:",
            "push %rbp\nmov %rsp,%rbp\nmov $400,%ecx\n1: dec %ecx\njnz 1b",
            "dec %edi\njle 2f\nadd $8,%rsi\ncall *(%rsi)\n2: pop %rbp\nret",
            f".size {name},.-{name}",
        ]
        if padding_bytes:
            lines.append(f".skip {padding_bytes}, 0x90")
    lines.append(".data\n.globl functions\nfunctions:")
    for number in range(count):
        name = name_of(number)
        lines.append(f".quad {name}")
    lines.append(".section .note.GNU-stack")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    write(*map(int, sys.argv[1:3]))
