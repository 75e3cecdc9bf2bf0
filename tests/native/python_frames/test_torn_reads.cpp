#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>

#include "fake_interpreter.hpp"
#include "python_frames/thread_reader.hpp"

namespace stallscope::python_frames {

// Another thread calls and returns all the time, as an interpreter does: all the way down as odd,
// and the next time as even. A chain of both was never there.
TEST_CASE("a stack that changes while it is read is torn, or one that was there") {
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
  thread_reader reader{::getpid(), fake.told(), std::make_shared<numbering>(1, 1)};
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
