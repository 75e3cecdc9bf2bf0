// The mappings of every process and of the kernel, at the current time of the second pass. A forked
// process shares its parent's table until either changes. A change costs a tree update, and a copy
// of the table if it is shared. One thread.
//
//   address_spaces spaces{budget, limit};
//   spaces.map(space, {start, {end, page_offset, object}});
//   const auto* mapping = spaces.at(space).find(address);
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "capture/column.hpp"

namespace stallscope::capture {

struct mapping {
  std::uint64_t end = 0;
  std::uint64_t page_offset = 0;
  std::uint32_t object = 0;
  bool executable = true;
};

struct mapped_range {
  std::uint64_t start = 0;
  mapping target;
};

// Disjoint ranges by start address. Every change gives the table a new `version`.
struct map_table {
  std::map<std::uint64_t, mapping> ranges;
  std::uint32_t version = 0;

  [[nodiscard]] const std::pair<const std::uint64_t, mapping>* find(std::uint64_t address) const;
};

class address_spaces {
 public:
  address_spaces(memory_budget& budget, std::uint64_t copied_mappings_limit)
      : budget_(budget), copies_left_(copied_mappings_limit) {}

  static constexpr std::uint32_t kernel_space = 0;

  // The number of a space is the number of its process, from 1. Unknown spaces are empty.
  [[nodiscard]] const map_table& at(std::uint32_t space) const;
  // A new mapping replaces the mappings in its range.
  void map(std::uint32_t space, const mapped_range& range);
  void clear(std::uint32_t space);
  void fork(std::uint32_t parent, std::uint32_t child);

 private:
  std::shared_ptr<map_table>& slot(std::uint32_t space);
  map_table& changed(std::uint32_t space);
  void make_room(map_table& table, std::uint64_t start, std::uint64_t end);
  void drop(std::shared_ptr<map_table>& table);

  memory_budget& budget_;
  std::uint64_t copies_left_;
  std::uint32_t last_version_ = 0;
  std::vector<std::shared_ptr<map_table>> spaces_;
};

}  // namespace stallscope::capture
