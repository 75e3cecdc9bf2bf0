// Unwinds copied stacks with the mappings at the sample's time. Requests an object's table when a
// walk first reaches it. Otherwise a walk costs as much as in the unwinder, without allocations.
// One thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "capture/address_spaces.hpp"
#include "capture/capture.hpp"
#include "capture/copied_stacks.hpp"
#include "capture/object_table.hpp"
#include "capture/read_capture.hpp"
#include "unwind/unwinder.hpp"

namespace stallscope::capture {

// Returns the architecture of a capture's registers, from the file's host or otherwise from the
// register masks of its events; nullopt if they cannot be unwound.
std::optional<unwind::architecture> architecture_of(const capture_content& read);

struct walked_stack {
  std::span<const unwind::frame> frames;  // leaf first; valid until the next walk
  unwind::chain_end end = unwind::chain_end::kernel_given;
  bool missed_stack = false;  // the walk needed stack bytes beyond the copy
};

class stack_walker final : private unwind::code_map {
 public:
  // `objects` must stay unchanged.
  stack_walker(unwind::architecture arch, const object_table& objects, const read_options& options,
               memory_budget& budget);

  // `mask`: the registers that the sample's event copies.
  // `runs`: the managed frames of the stack. `code`: of the process's interpreter; frames of
  // interpreted code have its numbers, and are left out if there is none at their address.
  walked_stack walk(const copied_stack& copy, std::uint64_t mask, const map_table& maps,
                    std::span<const unwind::managed_run> runs = {},
                    const interpreter* code = nullptr);

 private:
  struct object_unwind_table {
    const unwind::table* table = nullptr;
    bool requested = false;
  };
  // A recently used mapping, for one version of a process's mappings.
  struct cached_code {
    std::uint32_t version = 0;
    unwind::mapped_code code;
  };

  void number_interpreted(const interpreter& code);
  const unwind::mapped_code* find(std::uint64_t address) override;
  [[nodiscard]] std::uint64_t version() const override { return maps_->version; }
  const unwind::table* table_of(std::uint32_t object);

  static constexpr std::size_t cached_codes = 256;

  unwind::architecture arch_;
  unwind::unwinder unwinder_;
  const object_table& objects_;
  const read_options& options_;
  const map_table* maps_ = nullptr;
  column<object_unwind_table> tables_;
  std::array<cached_code, cached_codes> cache_{};
  std::vector<unwind::frame> frames_;
};

}  // namespace stallscope::capture
