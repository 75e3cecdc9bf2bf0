#include <doctest/doctest.h>

#include <string>

#include "resp/byte_buffer.hpp"

using stallscope::resp::byte_buffer;

TEST_CASE("bytes keep their order for any sequence of appends and consumes") {
  byte_buffer buffer;
  std::string expected;
  std::string seen;
  for (int turn = 0; turn < 2000; ++turn) {
    const std::string piece =
        std::to_string(turn) + std::string(static_cast<std::size_t>(turn % 97), 'x');
    buffer.append(piece);
    expected += piece;
    const std::size_t taken = buffer.size() * static_cast<std::size_t>(turn % 3) / 2;
    seen += buffer.view().substr(0, taken);
    buffer.consume(taken);
  }
  seen += buffer.view();
  CHECK(seen == expected);
}

TEST_CASE("consumed room is reused") {
  byte_buffer buffer;
  for (int turn = 0; turn < 10'000; ++turn) {
    buffer.append(std::string(300, 'a'));
    buffer.consume(buffer.size() > 600 ? 300 : 0);
  }
  CHECK(buffer.capacity() <= 4096);
}

TEST_CASE("bytes beyond the limit are dropped and set overflowed()") {
  byte_buffer buffer(10);
  buffer.append("12345678");
  CHECK_FALSE(buffer.overflowed());
  buffer.append("abc");
  CHECK(buffer.view() == "12345678");
  CHECK(buffer.overflowed());
}

TEST_CASE("replies can be cut back, and an empty buffer can shrink") {
  byte_buffer buffer;
  buffer.append("kept");
  buffer.append(std::string(5000, 'x'));
  buffer.cut_back(4);
  CHECK(buffer.view() == "kept");
  buffer.shrink(100);
  CHECK(buffer.capacity() >= 5000);
  buffer.consume(4);
  buffer.shrink(100);
  CHECK(buffer.capacity() == 0);
  buffer.append("again");
  CHECK(buffer.view() == "again");
}
