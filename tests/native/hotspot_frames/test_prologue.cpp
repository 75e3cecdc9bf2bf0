#include "hotspot_frames/prologue.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace stallscope::hotspot_frames {
namespace {

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

}  // namespace

TEST_CASE("before push rbp the return address is at the stack pointer") {
  for (const std::size_t offset : {std::size_t{0}, std::size_t{7}}) {
    const auto progress = progress_at(c2_method, offset, complete_at);
    CHECK_FALSE(progress.complete);
    CHECK(progress.bytes == 0);
    CHECK_FALSE(progress.saved_rbp);
  }
}

TEST_CASE("after push rbp the caller's frame pointer is below the return address") {
  const auto progress = progress_at(c2_method, 8, complete_at);
  CHECK_FALSE(progress.complete);
  CHECK(progress.bytes == 8);
  CHECK(progress.saved_rbp);
}

TEST_CASE("in the body and before the frame is removed it is complete") {
  CHECK(progress_at(c2_method, 12, complete_at).complete);
  CHECK(progress_at(c2_method, 13, complete_at).complete);
}

TEST_CASE("at pop rbp only the frame pointer is left") {
  const auto progress = progress_at(c2_method, 17, complete_at);
  CHECK(progress.bytes == 8);
  CHECK(progress.saved_rbp);
}

TEST_CASE("at the poll, its branch and the return nothing is left") {
  for (const std::size_t offset : {std::size_t{18}, std::size_t{25}, std::size_t{31}}) {
    const auto progress = progress_at(c2_method, offset, complete_at);
    CHECK_FALSE(progress.complete);
    CHECK(progress.bytes == 0);
  }
}

TEST_CASE("a frame that is reserved before rbp is saved belongs to the caller's frame pointer") {
  // sub rsp,0x18; mov [rsp+0x10],rbp; nop
  const auto code =
      code_of({0x48, 0x81, 0xec, 0x18, 0x00, 0x00, 0x00, 0x48, 0x89, 0x6c, 0x24, 0x10, 0x90});
  const auto reserved = progress_at(code, 7, 12);
  CHECK(reserved.bytes == 0x18);
  CHECK_FALSE(reserved.saved_rbp);
  const auto saved = progress_at(code, 12, 13);
  CHECK(saved.bytes == 0x18);
  CHECK(saved.saved_rbp);
}

TEST_CASE("a branch that is not a poll belongs to the body") {
  const auto code = code_of({0x90, 0x0f, 0x87, 0x01, 0x00, 0x00, 0x00, 0xc3});
  CHECK(progress_at(code, 1, 1).complete);
}

TEST_CASE("a position outside the code is taken for the body") {
  CHECK(progress_at({}, 3, 0).complete);
  CHECK(progress_at(c2_method, 1000, complete_at).complete);
}

}  // namespace stallscope::hotspot_frames
