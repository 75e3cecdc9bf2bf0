// Ranges of addresses of units and entries, from their attributes, .debug_ranges or
// .debug_rnglists.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dwarf/unit.hpp"

namespace stallscope::dwarf {

struct address_range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  // after the last address

  friend bool operator==(const address_range&, const address_range&) = default;
};

// The attributes of an entry that say where its code is.
struct code_attributes {
  std::optional<value> low_pc;
  std::optional<value> high_pc;
  std::optional<value> ranges;
};

// Adds the ranges that are not empty. Throws malformed for a list that ends early or is longer than
// a million ranges.
void append_ranges(sections& from, const unit& owner, const code_attributes& code,
                   std::vector<address_range>& into);

}  // namespace stallscope::dwarf
