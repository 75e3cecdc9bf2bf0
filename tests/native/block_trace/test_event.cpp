// Decoding of block tracepoint records and of the rwbs letters.
#include "block_trace/event.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

namespace stallscope::block_trace {
namespace {

TEST_CASE("operation_of() decodes the rwbs letters") {
  for (const auto& example : {std::pair{"R", operation::read},
                              {"RA", operation::read},
                              {"WSM", operation::write},
                              {"WFS", operation::write},
                              {"FWFS", operation::write},
                              {"FWS", operation::write},
                              {"FF", operation::flush},
                              {"F", operation::flush},
                              {"FN", operation::flush},
                              {"DS", operation::discard},
                              {"DE", operation::discard},
                              {"WZ", operation::other},
                              {"N", operation::other},
                              {"", operation::other},
                              {"\xff", operation::other}}) {
    CHECK_MESSAGE(operation_of(example.first) == example.second, example.first);
  }
}

TEST_CASE("decode() reads the fields of the layout and rejects a short record") {
  std::vector<std::byte> bytes(48);
  const auto put = [&](std::size_t at, auto value) {
    std::memcpy(bytes.data() + at, &value, sizeof(value));
  };
  put(8, (254U << 20) | 3U);
  put(16, std::uint64_t{4096});
  put(24, std::uint32_t{16});
  std::memcpy(bytes.data() + 28, "RA\0x", 4);
  std::memcpy(bytes.data() + 32, "sixteen letters!", 16);
  const event_layout layout{.number = 7,
                            .kind = event_kind::issue,
                            .device = {8, 4},
                            .sector = {16, 8},
                            .sectors = {24, 4},
                            .bytes = {},
                            .error = {},
                            .rwbs = {28, 4},
                            .comm = {32, 16}};
  ring_record record{.t_ns = 5, .number = 7, .pid = 42, .content = bytes};
  block_event event;
  REQUIRE(decode(record, layout, event));
  CHECK(event.device == ((254U << 20) | 3U));
  CHECK(event.sector == 4096);
  CHECK(event.bytes == 16 * 512);
  CHECK(event.pid == 42);
  CHECK(event.op == operation::read);
  CHECK(std::string_view(event.comm.data(), 16) == "sixteen letters!");
  put(16, ~std::uint64_t{0});
  REQUIRE(decode(record, layout, event));
  CHECK(event.sector == 0);  // no sector
  record.content = std::span(bytes).first(47);
  CHECK_FALSE(decode(record, layout, event));
}

}  // namespace
}  // namespace stallscope::block_trace
