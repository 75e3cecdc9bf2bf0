// The mapped file of a runtime: the program or a library with an expected name that exports the
// runtime's symbols. Costs some small reads of the files with such names. Files are untrusted and
// may block the caller. Any thread.
//
//   const auto file = find_runtime_file(view, {"libruby", "ruby"}, symbols, budget);
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "managed_frames/runtime_reader.hpp"
#include "process_reading/elf_file.hpp"

namespace stallscope::managed_frames {

struct runtime_file {
  std::vector<std::uint64_t> addresses{};  // of the symbols, in the process
  std::vector<std::uint64_t> bytes{};      // sizes of the symbols
  std::vector<address_range> writable{};   // data of the file, in the process
};

// The file must export all symbols. `name_prefixes` are beginnings of the file name.
std::optional<runtime_file> find_runtime_file(const target_view& view,
                                              std::span<const std::string_view> name_prefixes,
                                              std::span<const std::string_view> symbols,
                                              process_reading::read_budget& budget);

// The load bias of an executable mapping; nullopt if no segment of the file contains it.
std::optional<std::uint64_t> bias_of(const process_reading::elf_file& file,
                                     const memory_mapping& mapping);

// Whether an executable mapping has such a file name. Reads nothing.
bool maps_file_named(const target_view& view, std::span<const std::string_view> name_prefixes);

}  // namespace stallscope::managed_frames
