"""The outermost functions of complete call chains: program starts and thread entries.

Sources: glibc 2.2-2.40 (csu/libc-start.c, nptl/pthread_create.c, sysdeps clone.S and clone3.S,
elf/rtld.c), musl 1.2 (crt/crt1.c, src/thread), Go 1.5-1.23 (runtime/asm_*.s, rt0_*.s), Bionic,
Linux arch/{x86,arm64} entry code. A chain that ends elsewhere is truncated.
"""

USER_ENTRIES = frozenset(
    {
        b"_start",
        b"__start",
        b"_dl_start",
        b"_dl_start_user",
        b"_start_c",
        b"__libc_start_main",
        b"__libc_start_main_impl",
        b"__libc_start_call_main",
        b"libc_start_main_stage2",
        b"__libc_init",
        b"start_thread",
        b"clone",
        b"clone3",
        b"__clone",
        b"__clone3",
        b"__clone_internal",
        b"thread_start",
        b"start",
        b"start_c11",
        b"__pthread_start",
        b"__start_thread",
        b"_rt0_amd64",
        b"_rt0_amd64_linux",
        b"_rt0_arm64_linux",
    }
)
_USER_PREFIXES = (b"runtime.goexit", b"runtime.rt0_go", b"runtime.mstart")
KERNEL_ENTRIES = frozenset(
    {
        b"kthread",
        b"secondary_startup_64",
        b"secondary_startup_64_no_verify",
        b"common_startup_64",
        b"start_secondary",
        b"start_kernel",
        b"x86_64_start_kernel",
        b"x86_64_start_reservations",
        b"rest_init",
        b"__secondary_switched",
        b"__primary_switched",
    }
)
_KERNEL_PREFIXES = (b"ret_from_fork",)


def ends_user_chain(name: bytes) -> bool:
    """Return whether a user chain whose outermost function has this mangled name is complete."""
    return name in USER_ENTRIES or name.startswith(_USER_PREFIXES)


def ends_kernel_chain(name: bytes) -> bool:
    """Return whether this is the entry function of a kernel thread or an idle CPU."""
    return name in KERNEL_ENTRIES or name.startswith(_KERNEL_PREFIXES)
