// .debug_aranges: which unit the code of an address belongs to. Costs 24 bytes per range.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dwarf/address_range.hpp"

namespace stallscope::dwarf {

class address_table {
 public:
  // A damaged part of the section is left out: the units' own ranges replace it.
  explicit address_table(section& aranges);

  // The offset of the unit with this address.
  [[nodiscard]] std::optional<std::uint64_t> unit_at(std::uint64_t address) const;
  // Whether the table has ranges of the unit.
  [[nodiscard]] bool lists(std::uint64_t unit_offset) const;

 private:
  struct row {
    address_range range;
    std::uint64_t unit_offset;
  };
  void read_set(byte_reader& set, std::uint8_t offset_size);

  std::vector<row> rows_;             // by begin
  std::vector<std::uint64_t> units_;  // sorted
};

}  // namespace stallscope::dwarf
