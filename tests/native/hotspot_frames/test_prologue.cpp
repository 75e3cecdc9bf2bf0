#include "hotspot_frames/prologue.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace stallscope::hotspot_frames {
namespace {

constexpr auto x86_64 = unwind::architecture::x86_64;
constexpr auto arm64 = unwind::architecture::arm64;

std::vector<std::byte> code_of(std::initializer_list<unsigned> values) {
  std::vector<std::byte> code;
  for (const unsigned value : values) code.push_back(static_cast<std::byte>(value));
  return code;
}

// mov [rsp-0x14000],eax; push rbp; sub rsp,0x30; nop; add rsp,0x30; pop rbp; cmp rsp,[r15+0x3b8];
// ja; ret
const auto c2_method = code_of({0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff, 0x55, 0x48, 0x83, 0xec,
                                0x30, 0x90, 0x48, 0x83, 0xc4, 0x30, 0x5d, 0x49, 0x3b, 0xa7, 0xb8,
                                0x03, 0x00, 0x00, 0x0f, 0x87, 0x01, 0x00, 0x00, 0x00, 0xc3});
constexpr std::size_t complete_at = 12;

// Instructions of arm64.
std::vector<std::byte> words_of(std::initializer_list<std::uint32_t> values) {
  std::vector<std::byte> code;
  for (std::uint32_t value : values) {
    for (int i = 0; i < 4; ++i, value >>= 8U) code.push_back(static_cast<std::byte>(value));
  }
  return code;
}

constexpr std::uint32_t nop = 0xd503201f;
constexpr std::uint32_t bang = 0xd14053e9;          // sub x9, sp, #20, lsl #12
constexpr std::uint32_t touch = 0xf900013f;         // str xzr, [x9]
constexpr std::uint32_t reserve = 0xd10103ff;       // sub sp, sp, #64
constexpr std::uint32_t store_record = 0xa9037bfd;  // stp x29, x30, [sp, #48]
constexpr std::uint32_t load_record = 0xa9437bfd;   // ldp x29, x30, [sp, #48]
constexpr std::uint32_t give_back = 0x910103ff;     // add sp, sp, #64
constexpr std::uint32_t read_poll = 0xf941cb88;     // ldr x8, [x28, #912]
constexpr std::uint32_t compare = 0xeb2863ff;       // cmp sp, x8
constexpr std::uint32_t branch = 0x54000048;        // b.hi
constexpr std::uint32_t ret = 0xd65f03c0;
constexpr std::uint32_t push_record = 0xa9bf7bfd;  // stp x29, x30, [sp, #-16]!
constexpr std::uint32_t pop_record = 0xa8c17bfd;   // ldp x29, x30, [sp], #16

const auto arm64_method = words_of({nop, bang, touch, reserve, store_record, nop, load_record,
                                    give_back, read_poll, compare, branch, ret});

frame_progress arm64_progress(std::size_t instruction) {
  constexpr std::size_t complete = 5;
  return progress_at(arm64, arm64_method, 4 * instruction, 4 * complete);
}

}  // namespace

TEST_CASE("before push rbp the return address is at the stack pointer") {
  for (const std::size_t offset : {std::size_t{0}, std::size_t{7}}) {
    const auto progress = progress_at(x86_64, c2_method, offset, complete_at);
    CHECK_FALSE(progress.complete);
    CHECK(progress.bytes == 0);
    CHECK_FALSE(progress.saved_fp);
  }
}

TEST_CASE("after push rbp the caller's frame pointer is below the return address") {
  const auto progress = progress_at(x86_64, c2_method, 8, complete_at);
  CHECK_FALSE(progress.complete);
  CHECK(progress.bytes == 8);
  CHECK(progress.saved_fp);
}

TEST_CASE("in the body and before the frame is removed it is complete") {
  CHECK(progress_at(x86_64, c2_method, 12, complete_at).complete);
  CHECK(progress_at(x86_64, c2_method, 13, complete_at).complete);
}

TEST_CASE("at pop rbp only the frame pointer is left") {
  const auto progress = progress_at(x86_64, c2_method, 17, complete_at);
  CHECK(progress.bytes == 8);
  CHECK(progress.saved_fp);
}

TEST_CASE("at the poll, its branch and the return nothing is left") {
  for (const std::size_t offset : {std::size_t{18}, std::size_t{25}, std::size_t{31}}) {
    const auto progress = progress_at(x86_64, c2_method, offset, complete_at);
    CHECK_FALSE(progress.complete);
    CHECK(progress.bytes == 0);
  }
}

TEST_CASE("a frame that is reserved before rbp is saved belongs to the caller's frame pointer") {
  // sub rsp,0x18; mov [rsp+0x10],rbp; nop
  const auto code =
      code_of({0x48, 0x81, 0xec, 0x18, 0x00, 0x00, 0x00, 0x48, 0x89, 0x6c, 0x24, 0x10, 0x90});
  const auto reserved = progress_at(x86_64, code, 7, 12);
  CHECK(reserved.bytes == 0x18);
  CHECK_FALSE(reserved.saved_fp);
  const auto saved = progress_at(x86_64, code, 12, 13);
  CHECK(saved.bytes == 0x18);
  CHECK(saved.saved_fp);
}

TEST_CASE("a branch that is not a poll belongs to the body") {
  const auto code = code_of({0x90, 0x0f, 0x87, 0x01, 0x00, 0x00, 0x00, 0xc3});
  CHECK(progress_at(x86_64, code, 1, 1).complete);
}

TEST_CASE("a position outside the code is taken for the body") {
  CHECK(progress_at(x86_64, {}, 3, 0).complete);
  CHECK(progress_at(x86_64, c2_method, 1000, complete_at).complete);
}

TEST_CASE("on arm64 the return address is in the link register until the record is stored") {
  for (const std::size_t instruction : {0U, 1U, 2U, 3U}) {
    const auto progress = arm64_progress(instruction);
    CHECK_FALSE(progress.complete);
    CHECK(progress.bytes == 0);
    CHECK_FALSE(progress.saved_fp);
  }
  const auto reserved = arm64_progress(4);
  CHECK(reserved.bytes == 64);
  CHECK_FALSE(reserved.saved_fp);
  CHECK(arm64_progress(5).complete);
}

TEST_CASE("on arm64 an epilogue loads the record before it gives back the frame") {
  CHECK(arm64_progress(6).complete);
  const auto loaded = arm64_progress(7);
  CHECK_FALSE(loaded.complete);
  CHECK(loaded.bytes == 64);
  CHECK_FALSE(loaded.saved_fp);
  for (const std::size_t instruction : {8U, 9U, 10U, 11U}) {
    const auto progress = arm64_progress(instruction);
    CHECK_FALSE(progress.complete);
    CHECK(progress.bytes == 0);
  }
}

TEST_CASE("a large frame of arm64 begins with its record") {
  const auto code = words_of({push_record, reserve, nop, give_back, pop_record, ret});
  const auto pushed = progress_at(arm64, code, 4, 8);
  CHECK(pushed.bytes == 16);
  CHECK(pushed.saved_fp);
  CHECK(progress_at(arm64, code, 8, 8).complete);
  CHECK(progress_at(arm64, code, 12, 8).complete);
  const auto popping = progress_at(arm64, code, 16, 8);
  CHECK(popping.bytes == 16);
  CHECK(popping.saved_fp);
}

TEST_CASE("a frame whose size is in a register is complete when it is reserved") {
  constexpr std::uint32_t reserve_register = 0xcb2863ff;  // sub sp, sp, x8
  const auto code = words_of({push_record, nop, reserve_register, nop});
  CHECK(progress_at(arm64, code, 8, 16).bytes == 16);
  CHECK(progress_at(arm64, code, 12, 16).complete);
}

TEST_CASE("returns are recognised by the poll before them") {
  CHECK(returns_between(arm64, arm64_method, 24, 48));
  CHECK_FALSE(returns_between(arm64, arm64_method, 36, 48));
  CHECK_FALSE(returns_between(arm64, arm64_method, 0, 32));
  CHECK(returns_between(x86_64, c2_method, 12, 32));
  CHECK_FALSE(returns_between(x86_64, c2_method, 0, 12));
}

}  // namespace stallscope::hotspot_frames
