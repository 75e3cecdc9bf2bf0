"""Write the assembler source of a large library to standard output: functions with six rows.

Every function saves two registers and is padded to 800 bytes, so that 250,000 of them make 200 MB
of code and 1.5 million rows of call frame information, like a large C++ library.
"""

import sys

FUNCTION = """f{0}:
.cfi_startproc
push %rbp
.cfi_def_cfa_offset 16
.cfi_offset 6, -16
push %rbx
.cfi_def_cfa_offset 24
.cfi_offset 3, -24
sub ${1},%rsp
.cfi_def_cfa_offset {2}
.skip 780, 0x90
add ${1},%rsp
.cfi_def_cfa_offset 24
pop %rbx
.cfi_def_cfa_offset 16
pop %rbp
.cfi_def_cfa_offset 8
ret
.cfi_endproc
"""


def write(count: int) -> None:
    """Print ``count`` functions with 300 different frame sizes."""
    sys.stdout.write(".text\n")
    for number in range(count):
        size = 8 + 16 * (number % 300)
        sys.stdout.write(FUNCTION.format(number, size, 24 + size))
    sys.stdout.write(".section .note.GNU-stack\n")


if __name__ == "__main__":
    write(int(sys.argv[1]))
