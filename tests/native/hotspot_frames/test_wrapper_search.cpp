#include "hotspot_frames/wrapper_search.hpp"

#include <doctest/doctest.h>

#include "java_walk_fixture.hpp"

namespace stallscope::hotspot_frames {
namespace {

constexpr std::uint64_t library_word = 0x1234'5678;

// A method that calls a native one, and the call stub that called it.
class native_call_fixture : public walk_fixture {
 public:
  native_call_fixture() { machine.set_call_stub_return(stub.code + 2); }

  // The frames of wrapper, Java caller and call stub; the stack from `words` on, where they begin.
  [[nodiscard]] std::vector<std::uint64_t> stack_after(std::vector<std::uint64_t> words) const {
    const std::uint64_t start = stack_start + words.size() * 8;
    const std::uint64_t entry = start + 8 * 8;
    words.insert(words.end(), {wrapper.code + 2, 0x77, outer.code + 2, 0, 0, entry, stub.code + 2,
                               0, 0x99, native_caller});
    return words;
  }

  fake_virtual_machine::placed wrapper =
      machine.add_blob("native nmethod", machine.add_method("a/A", "n", 3), 2, body, 1);
  fake_virtual_machine::placed outer =
      machine.add_blob("nmethod", machine.add_method("a/B", "g", 4), 4, body, 2);
  fake_virtual_machine::placed stub = machine.add_blob("StubRoutines (1)", 0, 0, body, 0);
};

}  // namespace

TEST_CASE_FIXTURE(native_call_fixture, "the wrapper is behind the frames of the library") {
  const auto frame = wrapper_frame(stack_after({library_word, 0, 0}));
  REQUIRE(frame);
  CHECK(frame->pc == wrapper.code + 2);
  CHECK(frame->sp == stack_start + 4 * 8);
}

TEST_CASE_FIXTURE(native_call_fixture, "of several return addresses the last one counts") {
  // An earlier call had a larger frame below the same caller.
  const auto earlier =
      machine.add_blob("native nmethod", machine.add_method("a/A", "m", 3), 5, body, 3);
  const auto frame = wrapper_frame(stack_after({earlier.code + 2, 0, 0}));
  REQUIRE(frame);
  CHECK(frame->pc == wrapper.code + 2);
}

TEST_CASE_FIXTURE(native_call_fixture,
                  "a return address that does not lead to the call stub is old") {
  const auto stack = stack_after({library_word});
  machine.set_call_stub_return(16);
  CHECK_FALSE(wrapper_frame(stack));
}

TEST_CASE_FIXTURE(native_call_fixture, "a stack without generated code has no wrapper") {
  CHECK_FALSE(wrapper_frame({library_word, 0, native_caller}));
  CHECK_FALSE(wrapper_frame({}));
}

TEST_CASE_FIXTURE(native_call_fixture, "the search ends after 4 KiB") {
  CHECK(wrapper_frame(stack_after(std::vector<std::uint64_t>(500))));
  CHECK_FALSE(wrapper_frame(stack_after(std::vector<std::uint64_t>(512))));
}

}  // namespace stallscope::hotspot_frames
