// One frame of a walk, and the ways to its caller. Each way either moves the cursor to the caller
// and gives nothing, or says why the chain ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "unwind/landing.hpp"
#include "unwind/rule_cache.hpp"
#include "unwind/stack_memory.hpp"
#include "unwind/table_content.hpp"
#include "unwind/unwinder.hpp"

namespace stallscope::unwind {

struct cursor {
  cursor(architecture machine, const registers& first, const stack_memory& copied, code_map& mapped)
      : arch{machine}, stack{copied}, code{mapped}, values{first} {}

  [[nodiscard]] unsigned sp() const noexcept {
    return arch == architecture::x86_64 ? x86_64::rsp : arm64::sp;
  }
  [[nodiscard]] unsigned fp() const noexcept {
    return arch == architecture::x86_64 ? x86_64::rbp : arm64::fp;
  }
  [[nodiscard]] unsigned counter() const noexcept {
    return arch == architecture::x86_64 ? x86_64::rip : arm64::pc;
  }
  // Whether a call can return to this address.
  [[nodiscard]] bool is_code(std::uint64_t address) const {
    return address > 1 && code.find(address - 1) != nullptr;
  }
  // Without the signature that pointer authentication puts into the upper bits.
  [[nodiscard]] std::uint64_t plain_address(std::uint64_t address) const;
  // Why the bytes at an address, which a frame should lie at, were not copied.
  [[nodiscard]] chain_end missing(std::uint64_t address) const noexcept;
  // Sets the program counter; 0 says that nobody called.
  std::optional<chain_end> arrive(std::uint64_t address, bool is_exact) noexcept;

  architecture arch;
  const stack_memory& stack;
  code_map& code;
  registers values;
  std::uint64_t pc = 0;
  bool exact = true;
  bool on_other_stack = false;  // the interrupted code ran on a stack that was not copied
  bool by_record = false;       // a frame record led here
  unsigned expression_steps_left = 20'000;
  unsigned still_steps = 0;  // steps in a row that did not move the stack pointer
  std::size_t depth = 0;     // frames of the chain so far
  std::optional<landing> ahead;
  rule_cache* kept = nullptr;  // of rules under these mappings; nullptr: none may be kept
  std::uint64_t version = 0;   // of the mappings
};

std::optional<chain_end> step_by_rule(cursor& at, const applied_rule& found);

// `in_table`: the code belongs to a file with a table, which does not cover this address.
std::optional<chain_end> step_by_frame_pointer(cursor& at, bool in_table);

// Over the frame that the kernel pushed for a signal handler, recognised by what only the kernel
// writes there: on x86-64 the segment selectors, on arm64 the head of the saved vector registers.
// False, and the cursor unchanged, where there is no such frame.
bool step_over_signal_frame(cursor& at);

}  // namespace stallscope::unwind
