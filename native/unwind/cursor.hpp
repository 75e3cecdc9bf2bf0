// The state of a walk at a frame, and the steps to its caller. A step moves the cursor to the
// caller and returns nullopt, or returns the reason why the chain ends. Costs about 100 ns per
// step. A cursor belongs to the thread that walks.
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
  // Whether the address lies behind an instruction of mapped code, so that a call can return to it.
  [[nodiscard]] bool is_code(std::uint64_t address) const {
    return address > 1 && code.find(address - 1) != nullptr;
  }
  // The address without the pointer-authentication signature in its upper bits.
  [[nodiscard]] std::uint64_t plain_address(std::uint64_t address) const;
  // The reason why a frame at this address is not in the copied stack.
  [[nodiscard]] chain_end missing_reason(std::uint64_t address) const noexcept;
  // Sets the program counter. Address 0 marks the outermost frame.
  std::optional<chain_end> arrive(std::uint64_t address, bool is_exact) noexcept;

  architecture arch;
  const stack_memory& stack;
  code_map& code;
  registers values;
  std::uint64_t pc = 0;
  bool exact = true;
  bool on_other_stack = false;  // the interrupted code ran on a stack that was not copied
  bool by_record = false;       // reached through a frame record
  unsigned expression_steps_left = 20'000;
  unsigned unmoved_steps = 0;  // consecutive steps that did not move the stack pointer
  std::size_t depth = 0;       // number of frames in the chain up to here
  std::optional<landing> next_landing;
  std::span<const managed_run> runs{};  // managed frames that are not in the chain yet
  const interpreter_loop* loop = nullptr;
  rule_cache* cache = nullptr;  // rules at these mappings; nullptr: caching is disabled
  std::uint64_t version = 0;    // version of the mappings
};

std::optional<chain_end> step_by_rule(cursor& at, const applied_rule& frame_rule);

// `in_table`: the code belongs to a file with a table, but the table does not cover this address.
std::optional<chain_end> step_by_frame_pointer(cursor& at, bool in_table);

// Steps over the frame that the kernel pushed for a signal handler. It is recognised by values that
// only the kernel writes: the segment selectors on x86-64, the header of the saved vector registers
// on arm64. Returns false and leaves the cursor unchanged if there is no such frame.
bool step_over_signal_frame(cursor& at);

}  // namespace stallscope::unwind
