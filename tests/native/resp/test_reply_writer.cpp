#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "resp/integer.hpp"
#include "resp/reply_writer.hpp"

using namespace stallscope::resp;

namespace {

std::string written(protocol version, const std::function<void(reply_writer&)>& write) {
  byte_buffer out;
  reply_writer replies(out, version);
  write(replies);
  return std::string(out.view());
}

}  // namespace

TEST_CASE("replies that are the same in both versions") {
  for (const protocol version : {protocol::resp2, protocol::resp3}) {
    CHECK(written(version, [](auto& to) { to.ok(); }) == "+OK\r\n");
    CHECK(written(version, [](auto& to) { to.simple("PONG"); }) == "+PONG\r\n");
    CHECK(written(version, [](auto& to) { to.error("ERR a\r\nb"); }) == "-ERR a  b\r\n");
    CHECK(written(version, [](auto& to) { to.bulk(""); }) == "$0\r\n\r\n");
    CHECK(written(version, [](auto& to) { to.bulk("0123456789"); }) == "$10\r\n0123456789\r\n");
    CHECK(written(version, [](auto& to) { to.array(0); }) == "*0\r\n");
    CHECK(written(version, [](auto& to) { to.integer(-7); }) == ":-7\r\n");
    CHECK(written(version, [](auto& to) {
            to.integer(std::numeric_limits<std::int64_t>::min());
          }) == ":-9223372036854775808\r\n");
  }
}

TEST_CASE("replies that differ between RESP2 and RESP3") {
  const auto all = [](reply_writer& to) {
    to.null();
    to.map(2);
    to.set(3);
    to.verbatim("hi");
  };
  CHECK(written(protocol::resp2, all) == "$-1\r\n*4\r\n*3\r\n$2\r\nhi\r\n");
  CHECK(written(protocol::resp3, all) == "_\r\n%2\r\n~3\r\n=6\r\ntxt:hi\r\n");
}

TEST_CASE("a reply beyond the buffer limit is not written partially") {
  byte_buffer out(64);
  reply_writer replies(out);
  replies.bulk(std::string(100, 'x'));
  CHECK(out.empty());
  CHECK(out.overflowed());
}

TEST_CASE("integers are parsed as strictly as in redis") {
  CHECK(to_integer("0") == 0);
  CHECK(to_integer("-1") == -1);
  CHECK(to_integer("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
  CHECK(to_integer("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  for (const char* bad : {"", "-", "+1", " 1", "1 ", "01", "-0", "-01", "1a", "0x1",
                          "9223372036854775808", "-9223372036854775809", "00"}) {
    CAPTURE(bad);
    CHECK_FALSE(to_integer(bad).has_value());
  }
}
