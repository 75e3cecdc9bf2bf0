#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <vector>

#include "python_frames/layout.hpp"

namespace stallscope::python_frames {
namespace {

constexpr std::uint32_t version_3_13 = 0x030d00f0;

// The offsets of 3.13.0 for x86-64, word by word up to the string objects.
std::vector<std::byte> runtime_of_3_13() {
  constexpr std::array<std::uint64_t, 71> words{0x7970677562656478,
                                                version_3_13,
                                                0,
                                                /* runtime */ 400'000,
                                                624,
                                                632,
                                                /* interpreter */ 200'000,
                                                7272,
                                                7264,
                                                7344,
                                                7560,
                                                8000,
                                                8100,
                                                8200,
                                                16,
                                                7000,
                                                0,
                                                7016,
                                                7008,
                                                /* thread */ 512,
                                                0,
                                                8,
                                                16,
                                                72,
                                                152,
                                                160,
                                                232,
                                                24,
                                                /* frame */ 80,
                                                8,
                                                0,
                                                56,
                                                72,
                                                70,
                                                /* code */ 208,
                                                112,
                                                120,
                                                128,
                                                136,
                                                68,
                                                52,
                                                96,
                                                104,
                                                200,
                                                /* object */ 16,
                                                8,
                                                /* type */ 408,
                                                24,
                                                88,
                                                168,
                                                /* tuple */ 24,
                                                24,
                                                16,
                                                /* list */ 40,
                                                24,
                                                16,
                                                /* dict */ 48,
                                                32,
                                                40,
                                                /* float */ 24,
                                                16,
                                                /* long */ 32,
                                                16,
                                                24,
                                                /* bytes */ 40,
                                                16,
                                                32,
                                                /* text */ 64,
                                                32,
                                                16,
                                                40};
  std::vector<std::byte> bytes(debug_offsets_bytes);
  std::memcpy(bytes.data(), words.data(), sizeof words);
  return bytes;
}

void set_word(std::vector<std::byte>& bytes, std::size_t index, std::uint64_t value) {
  std::memcpy(bytes.data() + index * sizeof value, &value, sizeof value);
}

}  // namespace

TEST_CASE("only 3.11 and 3.12 have a constant layout") {
  CHECK(known_layout(11).has_value());
  CHECK(known_layout(12).has_value());
  CHECK_FALSE(known_layout(10).has_value());
  CHECK_FALSE(known_layout(13).has_value());
}

TEST_CASE("the layout of 3.13 is read from its offsets") {
  const auto parsed = layout_from_debug_offsets(runtime_of_3_13(), version_3_13);
  REQUIRE_MESSAGE(parsed.fields.has_value(), parsed.refusal);
  CHECK(parsed.fields->runtime.interpreters_head == 632);
  CHECK(parsed.fields->interpreter.threads_head == 7344);
  CHECK(parsed.fields->interpreter.gil == 16);
  CHECK(parsed.fields->gil.locked == 16);
  CHECK(parsed.fields->gil.last_holder == 8);
  CHECK(parsed.fields->thread.current_frame == 72);
  CHECK(parsed.fields->thread.native_thread_id == 160);
  CHECK(parsed.fields->thread.datastack_chunk == 232);
  CHECK(parsed.fields->frame.owner == 70);
  CHECK(parsed.fields->frame.size == 72);
  CHECK(parsed.fields->code.instructions == 200);
  CHECK(parsed.fields->object.compact_text_content == 56);
  CHECK_FALSE(parsed.fields->has_cframe);
}

TEST_CASE("unknown and invalid offsets are rejected with a reason") {
  auto bytes = runtime_of_3_13();
  SUBCASE("no cookie") {
    set_word(bytes, 0, 0);
    CHECK(layout_from_debug_offsets(bytes, version_3_13).refusal.find("no cookie") !=
          std::string::npos);
  }
  SUBCASE("a version other than the program's") {
    CHECK(layout_from_debug_offsets(bytes, version_3_13 + 1).refusal.find("another version") !=
          std::string::npos);
  }
  SUBCASE("free threading") {
    set_word(bytes, 2, 1);
    CHECK(layout_from_debug_offsets(bytes, version_3_13).refusal.find("free threading") !=
          std::string::npos);
  }
  SUBCASE("a later version") {
    set_word(bytes, 1, 0x030f00f0);
    CHECK(layout_from_debug_offsets(bytes, 0x030f00f0).refusal.find("unsupported format") !=
          std::string::npos);
  }
  SUBCASE("offsets beyond every structure") {
    for (const std::size_t index :
         {5U, 8U, 14U, 17U, 23U, 26U, 29U, 31U, 33U, 35U, 43U, 45U, 66U}) {
      auto wrong = runtime_of_3_13();
      set_word(wrong, index, ~std::uint64_t{0});
      CHECK_FALSE(layout_from_debug_offsets(wrong, version_3_13).fields.has_value());
    }
  }
  SUBCASE("too few bytes") {
    CHECK_FALSE(
        layout_from_debug_offsets(std::span{bytes}.first(100), version_3_13).fields.has_value());
  }
}

}  // namespace stallscope::python_frames
