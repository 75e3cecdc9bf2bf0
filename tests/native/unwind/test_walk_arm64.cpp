// Properties of arm64: link register, signed return addresses, frame records.
#include <doctest/doctest.h>

#include "written_stack.hpp"

namespace unwind = stallscope::unwind;
using elf_builder::eh_frame;
using unwind::chain_end;
using addresses = std::vector<std::uint64_t>;

namespace {

constexpr unsigned fp = unwind::arm64::fp;
constexpr unsigned lr = unwind::arm64::lr;

// stp x29, x30, [sp, #-32]! at 4; undefined return address from 0x80 on.
written_thread thread_of_arm64() {
  return written_thread(eh_frame({0x44, 0x0e, 32, 0x9d, 4, 0x9e, 3, 0x02, 0x7c, 0x07, 30},
                                 {.common = {0x0c, 31, 0}, .return_column = 30}),
                        unwind::architecture::arm64);
}

}  // namespace

TEST_CASE("a leaf's return address is in the link register, its caller's on the stack") {
  auto thread = thread_of_arm64();
  thread.with(lr, text + 0x20).put(0, sp + 64).put(8, text + 0x90);
  CHECK(thread.walk() == addresses{text, text + 0x20, text + 0x90});
  CHECK(thread.end == chain_end::complete);
}

TEST_CASE("a non-leaf frame that saved no registers ends the chain") {
  auto thread = thread_of_arm64();
  thread.with(lr, text + 3);
  CHECK(thread.walk() == addresses{text, text + 3});
  CHECK(thread.end == chain_end::bad_frame);
}

TEST_CASE("signatures are removed from return addresses") {
  auto thread = thread_of_arm64();
  thread.with(lr, (text + 0x20) | 0x002a'0000'0000'0000U);
  thread.put(8, (text + 0x90) | 0xffd1'0000'0000'0000U);
  CHECK(thread.walk() == addresses{text, text + 0x20, text + 0x90});
}

TEST_CASE("52-bit addresses keep their upper bits if they are mapped") {
  auto thread = thread_of_arm64();
  constexpr std::uint64_t high = 0x000f'8000'0000'0000;
  thread.code.mapped.push_back({.start = high, .end = high + 0x1000});
  thread.with(lr, (high + 0x20) | 0x7a00'0000'0000'0000U).with(fp, 0);
  CHECK(thread.walk() == addresses{text, high + 0x20});
}

TEST_CASE("frame records are followed in code without a table") {
  auto thread = thread_of_arm64();
  thread.at(jit + 0x104).with(fp, sp + 16).with(lr, jit + 0x100);  // its own last call
  thread.put(16, sp + 32).put(24, jit + 0x204).put(32, 0).put(40, jit + 0x304);
  CHECK(thread.walk() == addresses{jit + 0x104, jit + 0x204, jit + 0x304});
  CHECK(thread.end == chain_end::complete);
}

TEST_CASE("a leaf without a frame record returns through the link register") {
  auto thread = thread_of_arm64();
  thread.at(jit + 0x104).with(fp, sp + 16).with(lr, jit + 0x4004);
  thread.put(16, 0).put(24, jit + 0x304);
  CHECK(thread.walk() == addresses{jit + 0x104, jit + 0x4004, jit + 0x304});
}

TEST_CASE("behind code without a table the frame record gives the address of the frame") {
  auto thread = thread_of_arm64();
  // The frame of generated code ends at sp + 80; its record does not show this.
  thread.at(jit + 0x104).with(fp, sp).with(lr, jit + 0x100);
  thread.put(0, sp + 80).put(8, text + 0x20);
  thread.put(80, sp + 200).put(88, text + 0x90);
  CHECK(thread.walk() == addresses{jit + 0x104, text + 0x20, text + 0x90});
  CHECK(thread.end == chain_end::complete);
}

TEST_CASE("the signal frame of the kernel restores all registers") {
  auto thread = thread_of_arm64();
  thread.stack.resize(256);
  constexpr std::size_t saved = 128 + 184;
  thread.at(jit + 8).put(128 + 176 + 288, 0x0000'0210'4650'8001);
  thread.put(saved + 8 * lr, text + 0x24).put(saved + 8 * fp, sp + 1000);
  thread.put(saved + 8 * 31, sp + 1024).put(saved + 8 * 32, text);
  thread.put(1024, sp + 1100).put(1032, text + 0x90);
  CHECK(thread.walk() == addresses{jit + 8, text, text + 0x24, text + 0x90});
  CHECK(thread.end == chain_end::complete);
  CHECK(thread.frames[1].exact);
  CHECK_FALSE(thread.frames[2].exact);
}
