// The frames that MacroAssembler::build_frame makes (macroAssembler_aarch64.cpp): a small one is
// reserved at once and gets its record at the top, a large one begins with the record.
#include <array>

#include "hotspot_frames/prologue_by_architecture.hpp"
#include "hotspot_frames/words.hpp"
#include "process_reading/process_memory.hpp"

namespace stallscope::hotspot_frames {
namespace of_arm64 {
namespace {

constexpr std::uint32_t ret = 0xd65f03c0;
constexpr std::size_t instruction = 4;

struct pattern {
  std::uint32_t mask = 0;
  std::uint32_t value = 0;
  [[nodiscard]] bool matches(std::uint32_t word) const noexcept { return (word & mask) == value; }
};

constexpr pattern add_sp{0xff8003ff, 0x910003ff};           // add sp, sp, n
constexpr pattern sub_sp{0xff8003ff, 0xd10003ff};           // sub sp, sp, n
constexpr pattern sub_sp_register{0xffe0ffff, 0xcb2063ff};  // sub sp, sp, xn
constexpr pattern store_record{0xffc07fff, 0xa9007bfd};     // stp x29, x30, [sp, n]
constexpr pattern push_record{0xffffffff, 0xa9bf7bfd};      // stp x29, x30, [sp, -16]!
constexpr pattern load_record{0xffc07fff, 0xa9407bfd};      // ldp x29, x30, [sp, n]
constexpr pattern pop_record{0xffffffff, 0xa8c17bfd};       // ldp x29, x30, [sp], 16
// The poll for a safepoint before a return.
constexpr std::array<pattern, 3> poll{{
    {0xffc003e0, 0xf9400380},  // ldr xn, [x28, n]
    {0xffe0ffff, 0xeb2063ff},  // cmp sp, xn
    {0xff00001f, 0x54000008},  // b.hi
}};

std::uint32_t word_at(std::span<const std::byte> code, std::size_t offset) {
  if (offset % instruction != 0 || offset > code.size() || code.size() - offset < instruction)
    return 0;
  return process_reading::value_at<std::uint32_t>(code, offset);
}

std::uint64_t immediate(std::uint32_t word) {
  const std::uint64_t value = word >> 10U & 0xfffU;
  constexpr std::uint32_t shifted = 1U << 22U;
  return (word & shifted) != 0 ? value << 12U : value;
}

// At the return, or at an instruction of the poll that precedes it.
bool frame_is_removed(std::span<const std::byte> code, std::size_t offset) {
  if (word_at(code, offset) == ret) return true;
  for (std::size_t first = 0; first < poll.size(); ++first) {
    bool same = true;
    for (std::size_t i = first; i < poll.size() && same; ++i)
      same = poll.at(i).matches(word_at(code, offset + (i - first) * instruction));
    if (same && word_at(code, offset + (poll.size() - first) * instruction) == ret) return true;
  }
  return false;
}

}  // namespace

frame_progress progress_at(std::span<const std::byte> code, std::size_t offset,
                           std::size_t complete) {
  constexpr std::uint64_t record_bytes = 2 * word;
  if (frame_is_removed(code, offset)) return {false, 0, false};
  const auto here = word_at(code, offset);
  if (pop_record.matches(here)) return {false, record_bytes, true};
  if (add_sp.matches(here) && offset >= instruction &&
      load_record.matches(word_at(code, offset - instruction)))
    return {false, immediate(here), false};
  if (offset >= complete) return {};
  frame_progress state{false, 0, false};
  for (std::size_t at = 0; at < offset; at += instruction) {
    const auto executed = word_at(code, at);
    if (sub_sp.matches(executed)) state.bytes += immediate(executed);
    if (store_record.matches(executed)) state.saved_fp = true;
    if (push_record.matches(executed)) {
      state.bytes += record_bytes;
      state.saved_fp = true;
    }
    if (sub_sp_register.matches(executed)) return {};
  }
  return state;
}

bool returns_between(std::span<const std::byte> code, std::size_t begin, std::size_t end) {
  const std::size_t first = (begin + instruction - 1) / instruction * instruction;
  for (std::size_t at = first; at < end && at < code.size(); at += instruction) {
    if (poll.front().matches(word_at(code, at)) && frame_is_removed(code, at)) return true;
  }
  return false;
}

}  // namespace of_arm64
}  // namespace stallscope::hotspot_frames
