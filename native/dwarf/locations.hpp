// Source lines and inlined functions of addresses: the reader of debug information. Decodes only
// units that have code at the addresses: .debug_aranges or the ranges of the units' first entries
// say which. The file is untrusted: damage costs the locations of its unit, and is counted. A
// reader belongs to a single thread.
//   location_reader reader(std::move(file), nullptr);
//   for (const unit_addresses& part : reader.assign(addresses)) {
//     const unit_locations result = reader.locate(part);
//     ...
//   }
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dwarf/address_table.hpp"
#include "dwarf/debug_file.hpp"
#include "dwarf/entry_reference.hpp"

namespace stallscope::dwarf {

// Addresses in a unit, sorted.
struct unit_addresses {
  std::size_t unit = 0;
  std::vector<std::uint64_t> addresses;
};

inline constexpr std::int32_t no_text = -1;

// Where an address is: the line of the innermost function, and the chain of functions.
struct location {
  std::int32_t file = no_text;  // index of the texts
  std::uint32_t line = 0;
  std::int32_t function = -1;  // index of the functions, -1 if not known
};

// A function at an address: the concrete one, or one that is inlined into its caller.
struct located_function {
  std::int32_t caller = -1;  // index of the functions; -1: this is the concrete function
  std::int32_t name = no_text;
  std::int32_t call_file = no_text;
  std::uint32_t call_line = 0;
};

struct unit_locations {
  std::vector<location> locations;  // of the addresses, in their order
  std::vector<located_function> functions;
  std::vector<std::string> texts;  // paths and names
  bool damaged = false;            // lines or functions may be missing
  bool split = false;              // functions are in a .dwo file, which is not read
};

class location_reader {
 public:
  // `supplementary`: the file of .gnu_debugaltlink, or null.
  location_reader(sections main, std::unique_ptr<debug_file> supplementary);

  // The addresses by unit; those in no unit are left out. They need not be sorted.
  std::vector<unit_addresses> assign(std::vector<std::uint64_t> addresses);
  unit_locations locate(const unit_addresses& part);
  // Units that could not be read: of unknown versions, or damaged in their first entry.
  [[nodiscard]] std::uint64_t unreadable_units() const noexcept {
    return main_.unreadable_units() + unreadable_;
  }

 private:
  // Adds the addresses that are in the ranges of units which the table does not list.
  void assign_by_ranges(const address_table& table, std::vector<std::uint64_t> rest,
                        std::map<std::size_t, std::vector<std::uint64_t>>& by_unit);

  debug_file main_;
  std::unique_ptr<debug_file> supplementary_;
  name_reader names_;
  std::uint64_t unreadable_ = 0;
};

}  // namespace stallscope::dwarf
