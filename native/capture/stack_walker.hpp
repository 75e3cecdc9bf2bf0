// Unwinds copied stacks under the mappings of their moment. Asks for an object's table when a walk
// first runs into it; otherwise a walk costs what the unwinder costs, and allocates nothing.
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

// The architecture whose registers a capture holds, nothing where they cannot be unwound: by the
// host that the file names, else by the masks of its events.
std::optional<unwind::architecture> architecture_of(const capture& read);

struct walked_stack {
  std::span<const unwind::frame> frames;  // leaf first; they stand until the next walk
  unwind::chain_end end = unwind::chain_end::kernel_given;
  bool missed_stack = false;  // with more of the stack it might be another chain
};

class stack_walker final : private unwind::code_map {
 public:
  // `ask` as in read_options; `objects` must stay as they are.
  stack_walker(unwind::architecture arch, const object_table& objects, const read_options& options,
               memory_budget& budget);

  // `mask`: which registers the sample's event copies.
  walked_stack walk(const copied_stack& copy, std::uint64_t mask, const map_table& maps);

 private:
  struct asked_table {
    const unwind::table* table = nullptr;
    bool asked = false;
  };
  // A mapping found lately, of one version of a process's mappings.
  struct found_code {
    std::uint32_t version = 0;
    unwind::mapped_code code;
  };

  const unwind::mapped_code* find(std::uint64_t address) override;
  [[nodiscard]] std::uint64_t version() const override { return maps_->version; }
  const unwind::table* table_of(std::uint32_t object);

  static constexpr std::size_t kept_codes = 256;

  unwind::architecture arch_;
  unwind::unwinder unwinder_;
  const object_table& objects_;
  const read_options& options_;
  const map_table* maps_ = nullptr;
  column<asked_table> tables_;
  std::array<found_code, kept_codes> found_{};
  std::vector<unwind::frame> frames_;
};

}  // namespace stallscope::capture
