// The tables by which libjvm describes its own structures to debuggers: gHotSpotVMStructs,
// gHotSpotVMTypes and gHotSpotVMIntConstants. They are read once per process, about 50 system
// calls. The process is untrusted input: the number of entries and the length of names are limited.
// Offsets are any numbers: read fields with value_at(), which checks them. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "process_reading/process_memory.hpp"
#include "process_reading/read_budget.hpp"

namespace stallscope::hotspot_frames {

using process_reading::process_memory;
using process_reading::read_budget;

class vm_tables {
 public:
  // The address of a symbol that libjvm exports, for example gHotSpotVMStructs; nullopt if there is
  // none.
  using symbol_lookup = std::optional<std::uint64_t> (*)(const void* context,
                                                         std::string_view name);

  // Returns nullopt if the symbols or the memory cannot be read, or the budget is exhausted.
  static std::optional<vm_tables> read(const process_memory& memory, symbol_lookup symbols,
                                       const void* context, read_budget& budget);

  // The offset of a field in its structure.
  [[nodiscard]] std::optional<std::uint64_t> offset(std::string_view field) const;
  // The address of a static field.
  [[nodiscard]] std::optional<std::uint64_t> address(std::string_view field) const;
  [[nodiscard]] std::optional<std::uint64_t> size_of(std::string_view type) const;
  [[nodiscard]] std::optional<std::int64_t> constant(std::string_view name) const;

 private:
  std::unordered_map<std::string, std::uint64_t> offsets_;    // by Type::field
  std::unordered_map<std::string, std::uint64_t> addresses_;  // by Type::field
  std::unordered_map<std::string, std::uint64_t> sizes_;
  std::unordered_map<std::string, std::int64_t> constants_;
};

}  // namespace stallscope::hotspot_frames
