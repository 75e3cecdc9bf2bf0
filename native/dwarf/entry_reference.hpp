// References between entries, and the names at their end.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "dwarf/debug_file.hpp"

namespace stallscope::dwarf {

// The place of an entry in .debug_info.
struct entry_reference {
  std::uint64_t offset = 0;
  bool supplementary = false;  // in the supplementary file (dwz)

  friend bool operator==(const entry_reference&, const entry_reference&) = default;
};

// The entry that a value of this unit refers to; nullopt for a value that is no such reference.
std::optional<entry_reference> reference_of(const unit& owner, const value& reference) noexcept;

// The names of functions: the linkage name of an entry or of its origins, otherwise the first plain
// name. Follows 16 references at most. Costs a microsecond for a new entry.
class name_reader {
 public:
  // `supplementary` may be missing.
  name_reader(debug_file& main, debug_file* supplementary) noexcept
      : main_{main}, supplementary_{supplementary} {}

  // Empty if there is no name or it cannot be read. The view is valid as long as the files.
  std::string_view name_of(const entry_reference& entry);

 private:
  // Empty if it cannot be read.
  std::string_view readable_name(const entry_reference& entry);
  std::string_view read_name(entry_reference entry);
  // Adds what an entry says, and returns the entry that it refers to.
  std::optional<entry_reference> follow(const entry_reference& entry, std::string_view& plain,
                                        std::string_view& linkage);
  std::string_view text(debug_file& file, const unit& owner, const value& content);

  debug_file& main_;
  debug_file* supplementary_;
  std::unordered_map<std::uint64_t, std::string_view> names_;  // by offset, of the main file
  std::unordered_map<std::uint64_t, std::string_view> supplementary_names_;
};

}  // namespace stallscope::dwarf
