#include "hotspot_frames/java_walker.hpp"

#include <doctest/doctest.h>

#include "java_walk_fixture.hpp"

namespace stallscope::hotspot_frames {

TEST_CASE_FIXTURE(walk_fixture, "compiled methods return by their frame sizes") {
  const auto inner = machine.add_blob("nmethod", machine.add_method("a/A", "f", 3), 2, body, 1);
  const auto outer = machine.add_blob("nmethod", machine.add_method("a/B", "g", 4), 4, body, 2);
  const auto result = walk({.pc = inner.code + 1, .sp = stack_start, .is_leaf = true},
                           {0x77, outer.code + 2, 0, 0, 0x88, native_caller});
  CHECK(result.end == walk_end::native_caller);
  CHECK(result.names == std::vector<std::string>{"a.A.f:0", "a.B.g:0"});
  CHECK(result.now.pc == native_caller);
  CHECK(result.now.fp == 0x88);
  CHECK(result.now.sp == stack_start + 6 * 8);
}

TEST_CASE_FIXTURE(walk_fixture, "registers that inlined library code has pushed are skipped") {
  const auto inner = machine.add_blob("nmethod", machine.add_method("a/A", "f", 3), 2, body, 1);
  const auto outer = machine.add_blob("nmethod", machine.add_method("a/B", "g", 4), 4, body, 2);
  const auto result = walk({.pc = inner.code + 1, .sp = stack_start, .is_leaf = true},
                           {0x55, 0x77, outer.code + 2, 0, 0, 0x88, native_caller});
  CHECK(result.names == std::vector<std::string>{"a.A.f:0", "a.B.g:0"});
  CHECK(result.now.pc == native_caller);
  CHECK(result.now.sp == stack_start + 7 * 8);
}

TEST_CASE_FIXTURE(walk_fixture, "the wrapper of a native method is recognised by its caller") {
  const auto native =
      machine.add_blob("native nmethod", machine.add_method("a/A", "n", 3), 2, body, 1);
  const auto outer = machine.add_blob("nmethod", machine.add_method("a/B", "g", 4), 4, body, 2);
  const frame_position inside{.pc = native.code + 2, .sp = stack_start};
  CHECK(caller_of_wrapper(inside, {0x77, outer.code + 2}) == stack_start + 2 * 8);
  CHECK_FALSE(caller_of_wrapper(inside, {0x77, native_caller}));
  const frame_position compiled{.pc = outer.code + 2, .sp = stack_start};
  CHECK_FALSE(caller_of_wrapper(compiled, {0x77, 0, 0, outer.code + 2}));
}

TEST_CASE_FIXTURE(walk_fixture, "a method interrupted at its entry returns at the stack pointer") {
  const auto inner = machine.add_blob("nmethod", machine.add_method("a/A", "f", 3), 8, pushing, 1);
  const auto result =
      walk({.pc = inner.code, .sp = stack_start, .fp = 0x99, .is_leaf = true}, {native_caller});
  CHECK(result.end == walk_end::native_caller);
  CHECK(result.now.sp == stack_start + 8);
  CHECK(result.now.fp == 0x99);
}

TEST_CASE_FIXTURE(walk_fixture, "interpreted methods have lines and the caller's stack pointer") {
  const auto method = machine.add_method("a/A", "f", 7);
  const auto code = machine.add_blob("Interpreter", 0, 0, body, 0);
  std::vector<std::uint64_t> stack(16);
  const std::uint64_t fp = stack_start + 10 * 8;
  stack[10 - 8] = fake_virtual_machine::bytecode(method, 5);
  stack[10 - 3] = method;
  stack[10 - 1] = stack_start + 14 * 8;
  stack[10] = 0x99;
  stack[11] = native_caller;
  const auto result = walk({.pc = code.code, .sp = stack_start, .fp = fp}, stack);
  CHECK(result.end == walk_end::native_caller);
  CHECK(result.names == std::vector<std::string>{"a.A.f:7"});
  CHECK(result.now.sp == stack_start + 14 * 8);
  CHECK(result.now.fp == 0x99);
}

TEST_CASE_FIXTURE(walk_fixture,
                  "a recursive method that is unloaded loses its name in all frames") {
  const auto method = machine.add_method("a/A", "f", 7);
  const auto code = machine.add_blob("Interpreter", 0, 0, body, 0);
  std::vector<std::uint64_t> stack(40);
  for (const std::size_t fp : {std::size_t{10}, std::size_t{30}}) {
    stack[fp - 8] = fake_virtual_machine::bytecode(method, 5);
    stack[fp - 3] = method;
    stack[fp - 1] = stack_start + (fp + 2) * 8;
  }
  stack[10] = stack_start + 30 * 8;
  stack[11] = code.code;
  stack[31] = native_caller;
  const frame_position start{.pc = code.code, .sp = stack_start, .fp = stack_start + 10 * 8};
  CHECK(walk(start, stack).names == std::vector<std::string>{"a.A.f:7", "a.A.f:7"});
  fake_virtual_machine::unload_method(method);
  const std::string nameless = "[its interpreter frame has no method]:0";
  CHECK(walk(start, stack).names == std::vector<std::string>{nameless, nameless});
}

TEST_CASE_FIXTURE(walk_fixture, "an interpreter frame without a method has a reason, not a name") {
  const auto code = machine.add_blob("Interpreter", 0, 0, body, 0);
  std::vector<std::uint64_t> stack(16);
  stack[10] = 0x99;
  stack[11] = native_caller;
  const auto result = walk({.pc = code.code, .sp = stack_start, .fp = stack_start + 10 * 8}, stack);
  CHECK(result.names == std::vector<std::string>{"[its interpreter frame has no method]:0"});
}

TEST_CASE_FIXTURE(walk_fixture, "replaced code never keeps the old name") {
  const auto code = machine.add_blob("nmethod", machine.add_method("a/A", "f", 3), 2, body, 1);
  const frame_position start{.pc = code.code + 1, .sp = stack_start, .is_leaf = true};
  CHECK(walk(start, {0, native_caller}).names == std::vector<std::string>{"a.A.f:0"});
  fake_virtual_machine::replace(code.blob, machine.add_method("b/B", "g", 3), 2);
  CHECK(walk(start, {0, native_caller}).names == std::vector<std::string>{"b.B.g:0"});
}

TEST_CASE_FIXTURE(walk_fixture, "a check of code serves the samples before it") {
  const auto code = machine.add_blob("nmethod", machine.add_method("a/A", "f", 3), 2, body, 1);
  const frame_position start{.pc = code.code + 1, .sp = stack_start, .is_leaf = true};
  const auto sample_ns = monotonic_ns();
  CHECK(walk_at(sample_ns, start, {0, native_caller}).names == std::vector<std::string>{"a.A.f:0"});
  fake_virtual_machine::replace(code.blob, machine.add_method("b/B", "g", 3), 2);
  CHECK(walk_at(sample_ns, start, {0, native_caller}).names == std::vector<std::string>{"a.A.f:0"});
  CHECK(walk(start, {0, native_caller}).names == std::vector<std::string>{"b.B.g:0"});
}

TEST_CASE_FIXTURE(walk_fixture, "a stack that is not copied completely is cut") {
  const auto code = machine.add_blob("nmethod", machine.add_method("a/A", "f", 3), 64, body, 1);
  const auto result = walk({.pc = code.code + 1, .sp = stack_start, .is_leaf = true}, {0, 0});
  CHECK(result.end == walk_end::cut_by_copy);
  CHECK(result.names.size() == 1);
}

TEST_CASE_FIXTURE(walk_fixture, "the call stub ends a walk and is not a frame") {
  const auto code = machine.add_blob("nmethod", machine.add_method("a/A", "f", 3), 2, body, 1);
  const auto stub = machine.add_blob("StubRoutines (1)", 0, 0, body, 0);
  machine.set_call_stub_return(stub.code + 2);
  const std::uint64_t entry = stack_start + 4 * 8;
  const auto result = walk({.pc = code.code + 1, .sp = stack_start, .is_leaf = true},
                           {entry, stub.code + 2, 0, 0, 0x99, native_caller});
  CHECK(result.end == walk_end::call_stub);
  CHECK(result.names.size() == 1);
  CHECK(result.now.pc == native_caller);
}

TEST_CASE("a machine without its call stub has not started yet") {
  fake_virtual_machine machine;
  std::string lines;
  managed_frames::function_log log{{1, 1}, lines};
  const process_memory memory{::getpid()};
  java_walker walker{memory, machine.layout(), ::getpid(), log};
  machine.set_call_stub_return(0);
  CHECK_FALSE(walker.prepare());
  machine.set_call_stub_return(16);
  CHECK(walker.prepare());
}

TEST_CASE_FIXTURE(walk_fixture, "callers of a virtual thread are in the heap") {
  const auto code = machine.add_blob("nmethod", machine.add_method("a/A", "f", 3), 2, body, 1);
  const auto stub = machine.add_blob("StubRoutines (continuation stubs)", 0, 0, body, 0);
  const auto result =
      walk({.pc = code.code + 1, .sp = stack_start, .is_leaf = true}, {0, stub.code + 2, 0, 0});
  CHECK(result.end == walk_end::frames_in_heap);
}

TEST_CASE_FIXTURE(walk_fixture, "a frame that returns to itself ends the walk at the limit") {
  const auto code = machine.add_blob("nmethod", machine.add_method("a/A", "f", 3), 2, body, 1);
  const auto result = walk({.pc = code.code + 1, .sp = stack_start, .is_leaf = true},
                           std::vector<std::uint64_t>(20'000, code.code + 1));
  CHECK(result.end == walk_end::too_deep);
}

TEST_CASE_FIXTURE(walk_fixture, "a segment map that leads nowhere has no code") {
  const auto code = machine.add_blob("nmethod", machine.add_method("a/A", "f", 3), 2, body, 1);
  machine.corrupt_segments();
  const auto result = walk({.pc = code.code + 1, .sp = stack_start, .is_leaf = true}, {0, 0});
  CHECK(result.end == walk_end::unknown_code);
  CHECK(result.names.empty());
}

}  // namespace stallscope::hotspot_frames
