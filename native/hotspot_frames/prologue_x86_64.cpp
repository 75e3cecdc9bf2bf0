#include <array>
#include <cstring>
#include <initializer_list>

#include "hotspot_frames/prologue_by_architecture.hpp"
#include "hotspot_frames/words.hpp"

namespace stallscope::hotspot_frames {
namespace of_x86_64 {
namespace {

class instructions {
 public:
  explicit instructions(std::span<const std::byte> code) noexcept : code_{code} {}

  [[nodiscard]] bool at(std::size_t offset, std::initializer_list<unsigned> bytes) const noexcept {
    if (offset > code_.size() || code_.size() - offset < bytes.size()) return false;
    for (const unsigned byte : bytes) {
      if (static_cast<unsigned>(code_[offset++]) != byte) return false;
    }
    return true;
  }
  [[nodiscard]] std::uint32_t immediate(std::size_t offset, std::size_t bytes) const noexcept {
    std::uint32_t value = 0;
    if (offset <= code_.size() && code_.size() - offset >= bytes)
      std::memcpy(&value, code_.data() + offset, bytes);
    return value;
  }

 private:
  std::span<const std::byte> code_;
};

// Length of `cmp rsp,[r15+n]`, the poll for a safepoint before a return; 0 if it is something else.
std::size_t poll_length(const instructions& code, std::size_t offset) {
  if (code.at(offset, {0x49, 0x3b, 0x67})) return 4;
  return code.at(offset, {0x49, 0x3b, 0xa7}) ? 7 : 0;
}

// Length of `ja` with a 4-byte distance.
constexpr std::size_t branch_length = 6;

bool at_return(const instructions& code, std::size_t offset) {
  return code.at(offset, {0xc3}) || code.at(offset, {0xc2});
}

// The frame was removed: before the return, or at the poll that precedes it.
bool in_epilogue(const instructions& code, std::size_t offset) {
  if (at_return(code, offset)) return true;
  if (code.at(offset, {0x0f, 0x87}) && at_return(code, offset + branch_length)) {
    for (const std::size_t length : {std::size_t{4}, std::size_t{7}}) {
      if (offset >= length && poll_length(code, offset - length) == length) return true;
    }
  }
  const std::size_t poll = poll_length(code, offset);
  return poll != 0 && code.at(offset + poll, {0x0f, 0x87}) &&
         at_return(code, offset + poll + branch_length);
}

// An instruction of a prologue: its length and what it does to the frame.
struct prologue_step {
  std::size_t length = 0;  // 0: not an instruction of a prologue
  std::uint64_t bytes = 0;
  bool saves_fp = false;
};

prologue_step step_at(const instructions& code, std::size_t offset) {
  if (code.at(offset, {0x55})) return {1, word, true};            // push rbp
  if (code.at(offset, {0x48, 0x8b, 0xec})) return {3, 0, false};  // mov rbp,rsp
  if (code.at(offset, {0x48, 0x89, 0xe5})) return {3, 0, false};  // mov rbp,rsp
  if (code.at(offset, {0x89, 0x84, 0x24})) return {7, 0, false};  // mov [rsp-n],eax
  if (code.at(offset, {0x48, 0x83, 0xec}))                        // sub rsp,imm8
    return {4, code.immediate(offset + 3, 1), false};
  if (code.at(offset, {0x48, 0x81, 0xec}))  // sub rsp,imm32
    return {7, code.immediate(offset + 3, 4), false};
  if (code.at(offset, {0x48, 0x89, 0x6c, 0x24})) return {5, 0, true};         // mov [rsp+n],rbp
  if (code.at(offset, {0x48, 0x89, 0xac, 0x24})) return {8, 0, true};         // mov [rsp+n],rbp
  if (code.at(offset, {0x0f, 0x1f, 0x44, 0x00, 0x00})) return {5, 0, false};  // nop
  if (code.at(offset, {0x0f, 0x1f, 0x40, 0x00})) return {4, 0, false};        // nop
  if (code.at(offset, {0x66, 0x90})) return {2, 0, false};                    // nop
  if (code.at(offset, {0x90})) return {1, 0, false};                          // nop
  return {};
}

}  // namespace

frame_progress progress_at(std::span<const std::byte> bytes, std::size_t offset,
                           std::size_t complete) {
  const instructions code{bytes};
  if (in_epilogue(code, offset)) return {false, 0, false};
  if (code.at(offset, {0x5d})) return {false, word, true};  // pop rbp
  if (offset >= complete) return {};
  frame_progress state{false, 0, false};
  for (std::size_t at = 0; at < offset;) {
    const auto step = step_at(code, at);
    if (step.length == 0) return {};
    state.bytes += step.bytes;
    state.saved_fp = state.saved_fp || step.saves_fp;
    at += step.length;
  }
  return state;
}

bool returns_between(std::span<const std::byte> bytes, std::size_t begin, std::size_t end) {
  const instructions code{bytes};
  for (std::size_t at = begin; at < end && at < bytes.size(); ++at) {
    const std::size_t poll = poll_length(code, at);
    if (poll != 0 && code.at(at + poll, {0x0f, 0x87}) && at_return(code, at + poll + branch_length))
      return true;
  }
  return false;
}

}  // namespace of_x86_64
}  // namespace stallscope::hotspot_frames
