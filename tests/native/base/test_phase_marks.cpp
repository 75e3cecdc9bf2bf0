#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>

#include "base/descriptor.hpp"
#include "base/phase_marks.hpp"

namespace stallscope {
namespace {

std::string text_in(int fd) {
  std::array<char, 256> text{};
  const auto got = ::read(fd, text.data(), text.size());
  return {text.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

TEST_CASE("marks are lines with a time, on a pipe and on a socket") {
  std::array<int, 2> ends{};
  SUBCASE("a pipe") { REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0); }
  SUBCASE("a socket") { REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0); }
  const descriptor reader{ends[0]};
  const descriptor writer{ends[1]};
  const phase_marks marks{writer.get()};
  marks.start(5);
  marks.stop(18'446'744'073'709'551'615U);
  CHECK(text_in(reader.get()) == "start 5\nstop 18446744073709551615\n");
}

TEST_CASE("a reader that has ended is ignored") {
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
  const descriptor writer{ends[1]};
  ::close(ends[0]);
  phase_marks{writer.get()}.start(5);
  phase_marks{-1}.stop(5);
}

}  // namespace
}  // namespace stallscope
