// The blocks of the last seconds, by a clock that the test sets.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "collect/flight_blocks.hpp"
#include "collect/flight_lines.hpp"

using namespace stallscope::collect;

namespace {

constexpr std::uint64_t block_second_ns = 1'000'000'000;

void append_text(flight_blocks& blocks, std::string_view text) {
  const iovec piece{const_cast<char*>(text.data()), text.size()};
  blocks.append({&piece, 1});
}

std::string blocks_text(const flight_blocks& blocks) {
  std::string text;
  for (const auto& block : blocks.all()) {
    text.append(reinterpret_cast<const char*>(block.bytes.data()), block.bytes.size());
    text += '|';
  }
  return text;
}

}  // namespace

TEST_CASE("a block ends at the first cut after a second") {
  flight_blocks blocks{0};
  append_text(blocks, "a");
  CHECK_FALSE(blocks.cut(block_second_ns / 2));
  append_text(blocks, "b");
  CHECK(blocks.cut(block_second_ns));
  append_text(blocks, "c");
  CHECK(blocks_text(blocks) == "ab|c|");
  CHECK(blocks.size_bytes() == 3);
}

TEST_CASE("a block ends at the first cut after its size is reached") {
  flight_blocks blocks{0};
  append_text(blocks, std::string(flight_blocks::block_bytes, 'x'));
  CHECK(blocks.cut(1));
  CHECK(blocks.has_complete());
}

TEST_CASE("only blocks that ended before the horizon are dropped, oldest first") {
  flight_blocks blocks{0};
  for (std::uint64_t second = 1; second <= 5; ++second) {
    append_text(blocks, std::to_string(second));
    blocks.cut(second * block_second_ns);
  }
  while (blocks.oldest_ended_before(2 * block_second_ns)) blocks.drop_oldest();
  CHECK(blocks_text(blocks) == "3|4|5||");
  CHECK(blocks.all().front().begin_ns == 2 * block_second_ns);
  CHECK(blocks.size_bytes() == 3);
}

TEST_CASE("the block that is being filled is never dropped") {
  flight_blocks blocks{0};
  append_text(blocks, "a");
  blocks.cut(1);
  CHECK_FALSE(blocks.oldest_ended_before(~std::uint64_t{0}));
}

TEST_CASE("of dropped lines those that define code and stacks are kept") {
  flight_lines lines{0, 1 << 20};
  append_text(lines.blocks(), "{\"code\":1,\"pid\":2}\n{\"t\":1,\"tid\":3}\n{\"stack\":1}\n");
  lines.blocks().cut(block_second_ns);
  append_text(lines.blocks(), "{\"t\":2,\"tid\":3}\n");
  lines.drop_before(block_second_ns);
  CHECK(lines.text() == "{\"code\":1,\"pid\":2}\n{\"stack\":1}\n{\"t\":2,\"tid\":3}\n");
  CHECK(lines.size_bytes() == lines.text().size());
}
