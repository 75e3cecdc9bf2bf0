// A file with debug information: its sections and its units. Units and their tables of
// abbreviations are read when they are needed. A file belongs to a single thread.
//   debug_file file(std::move(sections));
//   const unit& owner = file.unit_at(file.index_of(offset).value());
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "dwarf/unit.hpp"

namespace stallscope::dwarf {

class debug_file {
 public:
  explicit debug_file(sections content);

  [[nodiscard]] sections& content() noexcept { return content_; }
  [[nodiscard]] const std::vector<unit_header>& headers() const noexcept { return headers_; }
  // Units of unknown versions, and damage between units.
  [[nodiscard]] std::uint64_t unreadable_units() const noexcept { return unreadable_; }

  // The number of the unit with this offset of .debug_info.
  [[nodiscard]] std::optional<std::size_t> index_of(std::uint64_t offset) const;
  // A unit with its first entry read. Throws malformed. It stays valid until trim().
  unit& unit_at(std::size_t index);
  // A unit with all entries loaded. Throws malformed.
  unit& whole_unit_at(std::size_t index);
  // Frees what was read of the units if these are many, but not the bytes of the sections.
  void trim() noexcept;

 private:
  using table_key = std::tuple<std::uint64_t, std::uint16_t, std::uint8_t, std::uint8_t>;

  std::shared_ptr<const abbreviation_table> table_of(const unit_header& header);

  sections content_;
  std::vector<unit_header> headers_;
  std::uint64_t unreadable_ = 0;
  std::map<std::size_t, std::unique_ptr<unit>> units_;
  std::map<table_key, std::shared_ptr<const abbreviation_table>> tables_;
};

}  // namespace stallscope::dwarf
