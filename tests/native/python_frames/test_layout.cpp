#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <vector>

#include "python_frames/layout.hpp"

namespace stallscope::python_frames {
namespace {

constexpr std::uint32_t version_3_13 = 0x030d00f0;

// What a 3.13.0 for x86-64 tells, word by word up to the texts.
std::vector<std::byte> told_by_3_13() {
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

TEST_CASE("only versions that are written down have a known layout") {
  CHECK(known_layout(11).has_value());
  CHECK(known_layout(12).has_value());
  CHECK_FALSE(known_layout(10).has_value());
  CHECK_FALSE(known_layout(13).has_value());
}

TEST_CASE("a 3.13 tells its layout") {
  const auto told = layout_from_debug_offsets(told_by_3_13(), version_3_13);
  REQUIRE_MESSAGE(told.found.has_value(), told.refusal);
  CHECK(told.found->runtime.interpreters_head == 632);
  CHECK(told.found->interpreter.threads_head == 7344);
  CHECK(told.found->interpreter.gil == 16);
  CHECK(told.found->gil.locked == 16);
  CHECK(told.found->gil.last_holder == 8);
  CHECK(told.found->thread.current_frame == 72);
  CHECK(told.found->thread.native_thread_id == 160);
  CHECK(told.found->thread.datastack_chunk == 232);
  CHECK(told.found->frame.owner == 70);
  CHECK(told.found->frame.size == 72);
  CHECK(told.found->code.instructions == 200);
  CHECK(told.found->object.compact_text_content == 56);
  CHECK_FALSE(told.found->has_cframe);
}

TEST_CASE("what is not known, or makes no sense, is refused with the reason") {
  auto bytes = told_by_3_13();
  SUBCASE("no cookie") {
    set_word(bytes, 0, 0);
    CHECK(layout_from_debug_offsets(bytes, version_3_13).refusal.find("not marked") !=
          std::string::npos);
  }
  SUBCASE("another version than the program's") {
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
    CHECK(layout_from_debug_offsets(bytes, 0x030f00f0).refusal.find("not known") !=
          std::string::npos);
  }
  SUBCASE("offsets beyond every structure") {
    for (const std::size_t index :
         {5U, 8U, 14U, 17U, 23U, 26U, 29U, 31U, 33U, 35U, 43U, 45U, 66U}) {
      auto wrong = told_by_3_13();
      set_word(wrong, index, ~std::uint64_t{0});
      CHECK_FALSE(layout_from_debug_offsets(wrong, version_3_13).found.has_value());
    }
  }
  SUBCASE("too few bytes") {
    CHECK_FALSE(
        layout_from_debug_offsets(std::span{bytes}.first(100), version_3_13).found.has_value());
  }
}

}  // namespace stallscope::python_frames
