// Addresses of a few symbols in an ELF file, from its dynamic symbols or its linker symbols,
// without mapping it. The file is untrusted input: a malformed file has no symbols, and all reads
// take from a budget. Dynamic symbols cost some small reads. Linker symbols cost a read of the
// string table, at most 64 MiB, and if it contains the names, of the symbol table. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "process_reading/read_budget.hpp"

namespace stallscope::process_reading {

enum class symbol_scope { dynamic, linker };

struct program_symbols {
  // In the order of the requested names, without the load bias.
  std::vector<std::optional<std::uint64_t>> addresses;
  // An executable segment. With the start of its mapping it gives the load bias.
  struct segment {
    std::uint64_t file_offset = 0;
    std::uint64_t size_bytes = 0;
    std::uint64_t address = 0;
  };
  std::vector<segment> executable;
};

// The first name is required: without it, no other is searched.
program_symbols find_symbols(int fd, std::span<const std::string_view> names, symbol_scope scope,
                             read_budget& budget);

// Returns the address of a file offset; nullopt if no segment contains it.
std::optional<std::uint64_t> address_of_offset(const program_symbols& symbols,
                                               std::uint64_t file_offset);

}  // namespace stallscope::process_reading
