#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>

#include "fake_interpreter.hpp"
#include "python_frames/thread_reader.hpp"

namespace stallscope::python_frames {

// Another thread calls and returns continuously, like an interpreter: alternately with all frames
// of the code "odd" and all frames of the code "even". A chain with both never exists.
TEST_CASE("a stack that changes during the read is torn or consistent") {
  constexpr std::size_t depth = 40;
  constexpr int reads = 3000;
  fake_interpreter fake;
  const std::array<std::uint64_t, 2> code{fake.add_code("odd"), fake.add_code("even")};
  std::atomic<bool> stop = false;
  fake.set_frame(0, code[0], true);
  fake.set_current(fake.frame_address(0));
  std::thread caller{[&] {
    for (std::size_t turn = 0; !stop; ++turn) {
      for (std::size_t i = 0; i < depth; ++i) {
        fake.set_frame(i, code.at(turn % 2), i == 0);
        fake.set_current(fake.frame_address(i));
      }
      for (std::size_t i = depth; i-- > 0;) fake.set_current(fake.frame_address(i));
    }
  }};
  thread_reader reader{::getpid(), fake.description(),
                       std::make_shared<process_reading::numbering>(1, 1)};
  int read = 0;
  int mixed = 0;
  for (int i = 0; i < reads; ++i) {
    python_stack stack;
    std::vector<code_facts> fresh;
    if (reader.read(fake_interpreter::native_id, stack, fresh) != read_result::read) continue;
    ++read;
    for (const auto& frame : stack.frames) mixed += frame.code != stack.frames[0].code ? 1 : 0;
  }
  stop = true;
  caller.join();
  CHECK(read > 0);
  CHECK(mixed == 0);
}

}  // namespace stallscope::python_frames
