#include "hotspot_frames/native_exit.hpp"

#include <doctest/doctest.h>

#include "java_walk_fixture.hpp"

namespace stallscope::hotspot_frames {
namespace {

// A method that calls native code, and the call stub that called it, on arm64.
class native_exit_fixture : public walk_fixture {
 public:
  native_exit_fixture() {
    machine.set_arm64();
    machine.set_call_stub_return(stub.code + 4);
  }

  // The stack from `words` on, where the frame of four words begins.
  static std::vector<std::uint64_t> with_java(std::vector<std::uint64_t> words,
                                              std::uint64_t stub_return) {
    const std::uint64_t entry = stack_start + (words.size() + 6) * 8;
    words.insert(words.end(), {0, 0, entry, stub_return, 0, 0, 0x99, native_caller});
    return words;
  }

  fake_virtual_machine::placed method =
      machine.add_blob("nmethod", machine.add_method("a/A", "f", 3), 4, body, 1);
  fake_virtual_machine::placed wrapper =
      machine.add_blob("native nmethod", machine.add_method("a/A", "n", 3), 4, body, 2);
  fake_virtual_machine::placed stub = machine.add_blob("StubRoutines (1)", 0, 0, body, 0);
};

}  // namespace

TEST_CASE_FIXTURE(native_exit_fixture, "a leaf without a record returns to the link register") {
  const auto frame = native_exit(method.code + 4, 0x1111, with_java({0, 0, 0, 0}, stub.code + 4));
  REQUIRE(frame);
  CHECK(frame->pc == method.code + 4);
  CHECK(frame->sp == stack_start + 4 * 8);
}

TEST_CASE_FIXTURE(native_exit_fixture, "records lead to the first return address into Java code") {
  // Two records of native code, the second with six words of its frame above it.
  const std::uint64_t second = stack_start + 2 * 8;
  const auto stack =
      with_java({second, native_caller, 0x1111, method.code + 4, 0, 0, 0, 0, 0, 0}, stub.code + 4);
  const auto frame = native_exit(0x77, stack_start, stack);
  REQUIRE(frame);
  CHECK(frame->pc == method.code + 4);
  CHECK(frame->sp == stack_start + 10 * 8);
}

TEST_CASE_FIXTURE(native_exit_fixture, "a wrapper has a frame record") {
  const std::uint64_t record = stack_start + 6 * 8;
  std::vector<std::uint64_t> stack{record, wrapper.code + 4, 0, 0, 0, 0, 0, native_caller};
  const auto frame = native_exit(0x77, stack_start, stack);
  REQUIRE(frame);
  CHECK(frame->pc == wrapper.code + 4);
  CHECK(frame->sp == stack_start + 4 * 8);
}

TEST_CASE_FIXTURE(native_exit_fixture,
                  "a record in other code, or a frame that leads nowhere, is refused") {
  CHECK_FALSE(native_exit(0x77, stack_start, {0, 0x55, 0, 0}));
  CHECK_FALSE(native_exit(method.code + 4, 0, with_java({0, 0, 0, 0}, native_caller)));
  CHECK_FALSE(native_exit(0, 0, {}));
}

TEST_CASE_FIXTURE(
    native_exit_fixture,
    "a method of arm64 that is interrupted before its record returns to the link register") {
  const auto with_prologue =
      machine.add_blob("nmethod", machine.add_method("a/A", "f", 3), 4, pushing, 3);
  const auto result = walk({.pc = with_prologue.code,
                            .sp = stack_start,
                            .fp = 0x99,
                            .is_leaf = true,
                            .link = native_caller},
                           {0, 0, 0, 0});
  CHECK(result.end == walk_end::native_caller);
  CHECK(result.now.pc == native_caller);
  CHECK(result.now.sp == stack_start);
}

TEST_CASE_FIXTURE(native_exit_fixture, "signatures are removed from return addresses") {
  constexpr std::uint64_t signature = 0x00ab'0000'0000'0000;
  const auto stack = with_java({0x1111, (method.code + 4) | signature, 0, 0}, stub.code + 4);
  const auto frame = native_exit(0x77, stack_start, stack);
  REQUIRE(frame);
  CHECK(frame->pc == method.code + 4);
  const auto leaf = native_exit((method.code + 4) | signature, 0x1111,
                                with_java({0, 0, 0, 0}, (stub.code + 4) | signature));
  REQUIRE(leaf);
  CHECK(leaf->pc == method.code + 4);
}

TEST_CASE_FIXTURE(native_exit_fixture, "some callers up to the end of the copy suffice") {
  std::vector<std::uint64_t> stack{0, 0, 0, 0};
  for (int i = 0; i < 4; ++i) stack.insert(stack.end(), {0, 0, 0x99, method.code + 4});
  const auto frame = native_exit(method.code + 4, 0x1111, stack);
  REQUIRE(frame);
  CHECK(frame->pc == method.code + 4);
  stack.resize(8);
  CHECK_FALSE(native_exit(method.code + 4, 0x1111, stack));
}

TEST_CASE_FIXTURE(native_exit_fixture, "a stub returns by its record, or to the link register") {
  const auto runtime = machine.add_blob("RuntimeStub", 0, 0, body, 0);
  const std::uint64_t record = stack_start + 2 * 8;
  const std::vector<std::uint64_t> stack{0, 0, 0x99, native_caller, 0};
  frame_position at{.pc = runtime.code, .sp = stack_start, .is_leaf = true, .link = native_caller};
  at.fp = record;
  CHECK(walk(at, stack).now.sp == stack_start + 4 * 8);
  at.fp = 0x1111;
  const auto leaf = walk(at, stack);
  CHECK(leaf.end == walk_end::native_caller);
  CHECK(leaf.now.sp == stack_start);
}

TEST_CASE_FIXTURE(native_exit_fixture, "at its entry an interpreted method is in a register") {
  const auto interpreted = machine.add_method("a/B", "g", 7);
  const auto interpreter = machine.add_blob("Interpreter", 0, 0, body, 0);
  frame_position at{.pc = interpreter.code, .sp = stack_start, .is_leaf = true};
  at.link = native_caller;
  at.method = interpreted;
  at.sender_sp = stack_start + 16;
  const auto result = walk(at, {0, 0, 0, 0});
  CHECK(result.names == std::vector<std::string>{"a.B.g:7"});
  CHECK(result.now.pc == native_caller);
  CHECK(result.now.sp == stack_start + 16);
}

TEST_CASE("the sender's stack pointer is in another register since version 20") {
  CHECK(conventions_of(unwind::architecture::arm64, 17).sender_sp_register == 13);
  CHECK(conventions_of(unwind::architecture::arm64, 21).sender_sp_register == 19);
  CHECK(conventions_of(unwind::architecture::x86_64, 21).bytecode_below_fp == 64);
}

TEST_CASE_FIXTURE(native_exit_fixture,
                  "an interpreter frame of arm64 has its bytecode a word lower") {
  const auto interpreted = machine.add_method("a/B", "g", 7);
  const auto interpreter = machine.add_blob("Interpreter", 0, 0, body, 0);
  std::vector<std::uint64_t> stack(16);
  stack[10 - 9] = fake_virtual_machine::bytecode(interpreted, 5);
  stack[10 - 3] = interpreted;
  stack[10 - 1] = stack_start + 14 * 8;
  stack[10] = 0x99;
  stack[11] = native_caller;
  const auto result =
      walk({.pc = interpreter.code, .sp = stack_start, .fp = stack_start + 10 * 8}, stack);
  CHECK(result.names == std::vector<std::string>{"a.B.g:7"});
  CHECK(result.now.sp == stack_start + 14 * 8);
}

}  // namespace stallscope::hotspot_frames
