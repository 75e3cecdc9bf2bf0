// Functions with call frame information written by hand, as in assembly libraries: the frame kept
// in other registers than rsp and rbp, computed by expressions, or saved by expressions. Each calls
// its second argument with its first.
        .text

// The frame's address in r12.
        .globl  frame_in_other_register
        .type   frame_in_other_register, @function
frame_in_other_register:
        .cfi_startproc
        pushq   %r12
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r12, 0
        movq    %rsp, %r12
        .cfi_def_cfa_register %r12
        subq    $328, %rsp
        andq    $-64, %rsp
        call    *%rsi
        movq    %r12, %rsp
        .cfi_def_cfa_register %rsp
        popq    %r12
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r12
        ret
        .cfi_endproc
        .size   frame_in_other_register, . - frame_in_other_register

// The frame's address in memory: DW_CFA_def_cfa_expression (DW_OP_breg7 16, DW_OP_deref,
// DW_OP_plus_uconst 8), as OpenSSL's and GCC's realigned frames have it.
        .globl  frame_by_expression
        .type   frame_by_expression, @function
frame_by_expression:
        .cfi_startproc
        movq    %rsp, %rax
        .cfi_def_cfa_register %rax
        subq    $216, %rsp
        andq    $-32, %rsp
        movq    %rax, 16(%rsp)
        .cfi_escape 0x0f, 5, 0x77, 16, 0x06, 0x23, 8
        call    *%rsi
        movq    16(%rsp), %rdx
        .cfi_def_cfa %rdx, 8
        movq    %rdx, %rsp
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_endproc
        .size   frame_by_expression, . - frame_by_expression

// rbp is saved at an address computed by an expression (DW_CFA_expression 6: DW_OP_breg7 24), rbx has
// its old value plus 5 (DW_CFA_val_expression 3: DW_OP_breg3 -5).
        .globl  saved_by_expression
        .type   saved_by_expression, @function
saved_by_expression:
        .cfi_startproc
        subq    $40, %rsp
        .cfi_adjust_cfa_offset 40
        movq    %rbp, 24(%rsp)
        .cfi_escape 0x10, 6, 2, 0x77, 24
        addq    $5, %rbx
        .cfi_escape 0x16, 3, 2, 0x73, 0x7b
        movq    $0x5ca1ab1e, %rbp
        call    *%rsi
        subq    $5, %rbx
        .cfi_restore %rbx
        movq    24(%rsp), %rbp
        .cfi_restore %rbp
        addq    $40, %rsp
        .cfi_adjust_cfa_offset -40
        ret
        .cfi_endproc
        .size   saved_by_expression, . - saved_by_expression

// rbp is kept in another register (DW_CFA_register).
        .globl  saved_in_register
        .type   saved_in_register, @function
saved_in_register:
        .cfi_startproc
        pushq   %r13
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r13, 0
        movq    %rbp, %r13
        .cfi_register %rbp, %r13
        movq    $0x0ddba11, %rbp
        call    *%rsi
        movq    %r13, %rbp
        .cfi_restore %rbp
        popq    %r13
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r13
        ret
        .cfi_endproc
        .size   saved_in_register, . - saved_in_register

// Two ways out of one body, each with its own rules (DW_CFA_remember_state, DW_CFA_restore_state).
        .globl  two_ways_out
        .type   two_ways_out, @function
two_ways_out:
        .cfi_startproc
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbx, 0
        movq    %rdi, %rbx
        testb   $1, %dil
        .cfi_remember_state
        jz      1f
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rbx
        jmp     *%rsi
1:      .cfi_restore_state
        call    *%rsi
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rbx
        ret
        .cfi_endproc
        .size   two_ways_out, . - two_ways_out

        .section .note.GNU-stack, "", @progbits
