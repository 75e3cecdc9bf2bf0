// Walks of hand-written stacks, to every possible end of a chain.
#include <doctest/doctest.h>

#include "written_stack.hpp"

namespace unwind = stallscope::unwind;
using elf_builder::eh_frame;
using unwind::chain_end;
using addresses = std::vector<std::uint64_t>;

namespace {

// push %rbp; mov %rsp,%rbp at 1 and 4; from 0x80 on an entry function with an undefined return
// address.
elf_builder::bytes with_frame_pointer() {
  return eh_frame({0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 0x7c, 0x07, 16});
}

}  // namespace

TEST_CASE("a chain by call frame information ends where the return address is undefined") {
  written_thread thread(with_frame_pointer());
  thread.with(6, 0x1234).put(0, text + 0x20);  // at entry: nothing pushed yet
  thread.with(6, sp + 32).put(32, sp + 64).put(40, text + 0x90);
  CHECK(thread.walk() == addresses{text, text + 0x20, text + 0x90});
  CHECK(thread.end == chain_end::complete);
  CHECK(thread.frames[0].exact);
  CHECK_FALSE(thread.frames[1].exact);
}

TEST_CASE("rules are cached while the mappings are unchanged, and no longer") {
  written_thread thread(with_frame_pointer());
  const auto mapped = thread.code.mapped;
  thread.code.state = 1;
  thread.put(0, text + 0x90);
  const addresses whole{text, text + 0x90};
  CHECK(thread.walk() == whole);
  thread.code.mapped.clear();  // unsaid: only what is kept can lead on
  CHECK(thread.walk() == whole);
  thread.code.state = 2;
  CHECK(thread.walk() == addresses{text});
  CHECK(thread.end == chain_end::unmapped);
  thread.code.mapped = mapped;
  thread.code.state = 3;
  CHECK(thread.walk() == whole);
  thread.code.mapped.clear();
  thread.code.state = 0;
  CHECK(thread.walk() == addresses{text});
}

TEST_CASE("a return address after the function's last byte belongs to the call before it") {
  written_thread thread(with_frame_pointer());
  thread.put(0, text + 0x100).with(6, sp);  // a call that does not return, at the very end
  CHECK(thread.walk() == addresses{text, text + 0x100});
  CHECK(thread.end == chain_end::complete);
}

TEST_CASE("a return address of zero ends the chain as an entry does") {
  written_thread thread(eh_frame({}));
  CHECK(thread.walk() == addresses{text});
  CHECK(thread.end == chain_end::complete);
}

TEST_CASE("without registers the chain is empty") {
  written_thread thread(eh_frame({}));
  thread.first = {};
  CHECK(thread.walk().empty());
  CHECK(thread.end == chain_end::no_registers);
}

TEST_CASE("a frame beyond the copy cuts the chain, far beyond it is on another stack") {
  written_thread thread(eh_frame({0x0e, 0x80, 8}));  // CFA rsp+1024: the copy has 512 bytes
  CHECK(thread.walk() == addresses{text});
  CHECK(thread.end == chain_end::cut_by_copy);
  written_thread far(eh_frame({0x0c, 6, 16}));
  far.with(6, sp + (std::uint64_t{1} << 30U));
  CHECK(far.walk() == addresses{text});
  CHECK(far.end == chain_end::other_stack);
}

TEST_CASE("a frame below the stack pointer is invalid") {
  written_thread thread(eh_frame({0x0c, 6, 16}));
  thread.with(6, sp - 64);
  CHECK(thread.walk() == addresses{text});
  CHECK(thread.end == chain_end::bad_frame);
}

TEST_CASE("a frame in the red zone was not copied") {
  // CFA = *(rsp - 8) + 8: a leaf that makes no calls may store its frame there.
  written_thread thread(eh_frame({0x0f, 5, 0x77, 0x78, 0x06, 0x23, 8}));
  CHECK(thread.walk() == addresses{text});
  CHECK(thread.end == chain_end::cut_by_copy);
}

TEST_CASE("a CFA with an unknown register is invalid") {
  written_thread thread(eh_frame({0x0c, 3, 16}));
  CHECK(thread.walk() == addresses{text});
  CHECK(thread.end == chain_end::bad_frame);
}

TEST_CASE("an unmapped return address is the last frame") {
  written_thread thread(eh_frame({}));
  thread.put(0, 0x1234'5678);
  CHECK(thread.walk() == addresses{text, 0x1234'5678});
  CHECK(thread.end == chain_end::unmapped);
}

TEST_CASE("frames above the limit are dropped and reported") {
  written_thread thread(eh_frame({}));
  for (std::size_t at = 0; at < 512; at += 8) thread.put(at, text + 0x20);
  CHECK(thread.walk(10).size() == 10);
  CHECK(thread.end == chain_end::too_deep);
}

TEST_CASE("a table that leads back to the same frame ends the walk") {
  // The return address is in rax and the CFA is the stack pointer, so that the frame never changes.
  written_thread thread(eh_frame({0x0c, 7, 0, 0x09, 16, 0}));
  thread.with(0, text + 0x20);
  CHECK(thread.walk().size() <= 4);
  CHECK(thread.end == chain_end::bad_frame);
}

TEST_CASE("a register saved in a callee recovers a later frame") {
  // The leaf saves rbx at CFA-16. Its caller's CFA is rbx+16, as in realigned frames.
  const auto common = elf_builder::eh_common();
  const auto size = static_cast<std::uint32_t>(common.size());
  const auto leaf =
      elf_builder::eh_function(size + 4, elf_builder::code, 0x40, {0x0e, 16, 0x83, 2});
  const auto back = size + 4 + static_cast<std::uint32_t>(leaf.size());
  const auto caller = elf_builder::eh_function(back, elf_builder::code + 0x40, 0x40, {0x0c, 3, 16});
  written_thread thread(elf_builder::writer().raw(common).raw(leaf).raw(caller).made());
  thread.with(3, 0xbad).put(0, sp + 64).put(8, text + 0x50).put(72, 0);
  CHECK(thread.walk() == addresses{text, text + 0x50});
  CHECK(thread.end == chain_end::complete);
}

TEST_CASE("a register saved below the stack pointer is already popped") {
  // leave; ret: the rule still says rbp at CFA-16.
  const auto common = elf_builder::eh_common();
  const auto size = static_cast<std::uint32_t>(common.size());
  const auto leaf = elf_builder::eh_function(size + 4, elf_builder::code, 0x40, {0x86, 2});
  const auto back = size + 4 + static_cast<std::uint32_t>(leaf.size());
  const auto caller =
      elf_builder::eh_function(back, elf_builder::code + 0x40, 0x40, {0x0c, 6, 16, 0x86, 2});
  written_thread thread(elf_builder::writer().raw(common).raw(leaf).raw(caller).made());
  thread.with(6, sp + 32).put(0, text + 0x50).put(40, text + 0x51);
  thread.put(32, sp + 64).put(72, 0);
  CHECK(thread.walk() == addresses{text, text + 0x50, text + 0x51});
  CHECK(thread.end == chain_end::complete);
}

TEST_CASE("a realigned frame is recovered with its expression") {
  // CFA = *(rbp - 8); rbp at *(rbp): what GCC writes behind lea 8(%rsp),%r10; and $-32,%rsp.
  written_thread thread(eh_frame({0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0}));
  thread.with(6, sp + 40).put(32, sp + 128).put(40, sp + 300).put(120, text + 0x20);
  const auto chain = thread.walk();
  REQUIRE(chain.size() >= 2);
  CHECK(chain[1] == text + 0x20);
}

TEST_CASE("an expression that needs memory beyond the copy cuts the chain") {
  written_thread thread(eh_frame({0x0f, 3, 0x76, 0x78, 0x06}));
  thread.with(6, sp + 1024);
  CHECK(thread.walk() == addresses{text});
  CHECK(thread.end == chain_end::cut_by_copy);
}

TEST_CASE("code without a table is walked by frame records between code with tables") {
  written_thread thread(with_frame_pointer());
  thread.at(jit + 0x105).with(6, sp + 16);
  thread.put(16, sp + 48).put(24, text + 0x20);  // called by the file's code
  thread.put(48, 0).put(56, jit + 0x203);        // which was called by code of no file
  CHECK(thread.walk() == addresses{jit + 0x105, text + 0x20, jit + 0x203});
  CHECK(thread.end == chain_end::no_table);  // its zero was restored by a rule, no record said it
}

TEST_CASE("a zero frame record ends the chain") {
  written_thread thread(eh_frame({}));
  thread.at(jit + 0x105).with(6, sp + 16).put(16, 0).put(24, jit + 0x203);
  CHECK(thread.walk() == addresses{jit + 0x105, jit + 0x203});
  CHECK(thread.end == chain_end::complete);
  thread.put(24, 0);
  CHECK(thread.walk() == addresses{jit + 0x105});
  CHECK(thread.end == chain_end::complete);
}

TEST_CASE("the entry code of a program has no caller") {
  written_thread thread(eh_frame({}));
  constexpr auto entry = written_thread::file_bias + written_thread::entry;
  thread.put(0, entry + 8);
  CHECK(thread.walk() == addresses{text, entry + 8});
  CHECK(thread.end == chain_end::complete);
  thread.put(0, entry + 0x100);
  CHECK(thread.walk() == addresses{text, entry + 0x100});
  CHECK(thread.end == chain_end::no_table);
}

TEST_CASE("invalid frame pointers end the chain with no_table") {
  written_thread thread(eh_frame({}));
  thread.at(jit + 0x105).with(6, sp + 17);
  CHECK(thread.walk() == addresses{jit + 0x105});
  CHECK(thread.end == chain_end::no_table);
  thread.with(6, sp + 16).put(24, 0x1234);  // no code there
  CHECK(thread.walk() == addresses{jit + 0x105});
  CHECK(thread.end == chain_end::no_table);
  thread.with(6, sp + 4096);
  CHECK(thread.walk() == addresses{jit + 0x105});
  CHECK(thread.end == chain_end::cut_by_copy);
}

TEST_CASE("the first instructions of code without a table use the return address on the stack") {
  written_thread thread(eh_frame({0x07, 16}));
  thread.at(jit + 0x100).with(6, sp + 64).put(0, text + 0x20);
  CHECK(thread.walk() == addresses{jit + 0x100, text + 0x20});
  thread.at(jit + 0x101).put(0, sp + 64).put(8, text + 0x21);  // behind push %rbp
  CHECK(thread.walk() == addresses{jit + 0x101, text + 0x21});
  CHECK(thread.end == chain_end::complete);
}

TEST_CASE("CPython 3.12's trampoline without a frame record is stepped over") {
  written_thread thread(eh_frame({0x41, 0x07, 16}));
  thread.with(6, 0xdead).put(0, jit + 0x10).put(16, text + 0x20);
  CHECK(thread.walk() == addresses{text, jit + 0x10, text + 0x20});
  CHECK(thread.end == chain_end::complete);
}

TEST_CASE("a call of an interpreter's core has the program counter of the interpreted code") {
  written_thread thread(with_frame_pointer());
  thread.loop = {.begin = text + 0x20, .end = text + 0x30, .counter = 14};
  thread.with(6, 0x1234).with(14, 0x7777).put(0, text + 0x28);
  thread.with(6, sp + 32).put(32, sp + 64).put(40, text + 0x90);
  CHECK(thread.walk() == addresses{text, 0x7777, text + 0x28, text + 0x90});
  CHECK(thread.frames[1].interpreted);
  CHECK_FALSE(thread.frames[2].interpreted);
  CHECK(thread.end == chain_end::complete);
}

TEST_CASE("without the register, and in the loop itself, there is no interpreted code") {
  written_thread thread(with_frame_pointer());
  thread.loop = {.begin = text + 0x20, .end = text + 0x30, .counter = 14};
  thread.put(0, text + 0x28).with(6, sp + 32).put(32, sp + 64).put(40, text + 0x90);
  const addresses plain{text, text + 0x28, text + 0x90};
  CHECK(thread.walk() == plain);
  thread.with(14, 0x7777);
  thread.loop = {.begin = text, .end = text + 0x10, .counter = 14};
  CHECK(thread.walk() == plain);
}
