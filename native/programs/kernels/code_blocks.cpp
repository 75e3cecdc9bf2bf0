#include "kernels/code_blocks.hpp"

// Assembler macros repeat the code: a compiler would fold the additions, and would need a long time
// for this amount of code. Frame pointers and call frame information are present, so that profilers
// can unwind from within. The constants are those of the header.
//
// On x86-64 an addition of a constant larger than a byte takes seven bytes. Even a core that
// fetches 32 bytes per cycle then fetches fewer additions than it can execute.

#if defined(__x86_64__)

asm(R"(
.pushsection .text.stallscope_code_blocks,"ax",@progbits
.macro stallscope_enter
  .cfi_startproc
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  mov %rsp, %rbp
  .cfi_def_cfa_register %rbp
  mov %rdi, %rax
  xor %ecx, %ecx
  xor %edx, %edx
  xor %esi, %esi
  xor %edi, %edi
  xor %r8d, %r8d
  xor %r9d, %r9d
  xor %r10d, %r10d
  xor %r11d, %r11d
.endm
.macro stallscope_leave
  add %rcx, %rax
  add %rdx, %rax
  add %rsi, %rax
  add %rdi, %rax
  add %r8, %rax
  add %r9, %rax
  add %r10, %rax
  add %r11, %rax
  pop %rbp
  .cfi_def_cfa %rsp, 8
  ret
  .cfi_endproc
.endm
.macro stallscope_run_blocks label, blocks, factor, offset
.balign 64
\label:
  .set stallscope_block, 0
  .rept \blocks
  add $0x01000001, %rcx
  add $0x01000001, %rdx
  add $0x01000001, %rsi
  add $0x01000001, %rdi
  .set stallscope_next, (stallscope_block * \factor + \offset) & (\blocks - 1)
  .if stallscope_next
  {disp32} jmp \label + stallscope_next * 64
  .else
  {disp32} jmp \label\()_end
  .endif
  .skip 31, 0xcc
  .set stallscope_block, stallscope_block + 1
  .endr
\label\()_end:
.endm

.balign 64
.globl stallscope_straight_code
.type stallscope_straight_code, @function
stallscope_straight_code:
  stallscope_enter
  .rept 37440
  add $0x01000001, %rcx
  add $0x01000001, %rdx
  add $0x01000001, %rsi
  add $0x01000001, %rdi
  add $0x01000001, %r8
  add $0x01000001, %r9
  add $0x01000001, %r10
  add $0x01000001, %r11
  .endr
  stallscope_leave
.size stallscope_straight_code, . - stallscope_straight_code

.balign 64
.globl stallscope_branchy_code
.type stallscope_branchy_code, @function
stallscope_branchy_code:
  stallscope_enter
  stallscope_run_blocks .Lstallscope_blocks, 16384, 9301, 12347
  stallscope_leave
.size stallscope_branchy_code, . - stallscope_branchy_code

.balign 64
.globl stallscope_compact_code
.type stallscope_compact_code, @function
stallscope_compact_code:
  stallscope_enter
  mov $256, %r8d
  stallscope_run_blocks .Lstallscope_compact_blocks, 64, 21, 13
  dec %r8d
  jnz .Lstallscope_compact_blocks
  stallscope_leave
.size stallscope_compact_code, . - stallscope_compact_code
.popsection
)");

#elif defined(__aarch64__)

asm(R"(
.pushsection .text.stallscope_code_blocks,"ax",@progbits
.macro stallscope_enter
  .cfi_startproc
  stp x29, x30, [sp, #-16]!
  .cfi_def_cfa_offset 16
  .cfi_offset 29, -16
  .cfi_offset 30, -8
  mov x29, sp
  mov x8, #0
  mov x9, #0
  mov x10, #0
  mov x11, #0
  mov x12, #0
  mov x13, #0
  mov x14, #0
  mov x15, #0
.endm
.macro stallscope_leave
  add x0, x0, x8
  add x0, x0, x9
  add x0, x0, x10
  add x0, x0, x11
  add x0, x0, x12
  add x0, x0, x13
  add x0, x0, x14
  add x0, x0, x15
  ldp x29, x30, [sp], #16
  .cfi_restore 30
  .cfi_restore 29
  .cfi_def_cfa_offset 0
  ret
  .cfi_endproc
.endm
.macro stallscope_run_blocks label, blocks, factor, offset
.balign 64
\label:
  .set stallscope_block, 0
  .rept \blocks
  add x8, x8, #1
  add x9, x9, #1
  add x10, x10, #1
  add x11, x11, #1
  .set stallscope_next, (stallscope_block * \factor + \offset) & (\blocks - 1)
  .if stallscope_next
  b \label + stallscope_next * 64
  .else
  b \label\()_end
  .endif
  .skip 44
  .set stallscope_block, stallscope_block + 1
  .endr
\label\()_end:
.endm

.balign 64
.globl stallscope_straight_code
.type stallscope_straight_code, %function
stallscope_straight_code:
  stallscope_enter
  .rept 65536
  add x8, x8, #1
  add x9, x9, #1
  add x10, x10, #1
  add x11, x11, #1
  add x12, x12, #1
  add x13, x13, #1
  add x14, x14, #1
  add x15, x15, #1
  .endr
  stallscope_leave
.size stallscope_straight_code, . - stallscope_straight_code

.balign 64
.globl stallscope_branchy_code
.type stallscope_branchy_code, %function
stallscope_branchy_code:
  stallscope_enter
  stallscope_run_blocks .Lstallscope_blocks, 16384, 9301, 12347
  stallscope_leave
.size stallscope_branchy_code, . - stallscope_branchy_code

.balign 64
.globl stallscope_compact_code
.type stallscope_compact_code, %function
stallscope_compact_code:
  stallscope_enter
  mov x12, #256
  stallscope_run_blocks .Lstallscope_compact_blocks, 64, 21, 13
  subs x12, x12, #1
  b.ne .Lstallscope_compact_blocks
  stallscope_leave
.size stallscope_compact_code, . - stallscope_compact_code
.popsection
)");

#else
#error "the kernels support x86-64 and arm64 only"
#endif
