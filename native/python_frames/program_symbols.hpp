// Addresses of a few symbols in an ELF file, from its dynamic symbols or its linker symbols,
// without mapping it. The file is untrusted input: sizes are limited, and a malformed file has no
// symbols. Costs a read of the symbol table, about 10 us per 1,000 symbols. Any thread may call it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace stallscope::python_frames {

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

program_symbols find_symbols(int fd, std::span<const std::string_view> names, symbol_scope scope);

// Returns the address of a file offset; nullopt if no segment contains it.
std::optional<std::uint64_t> address_of_offset(const program_symbols& symbols,
                                               std::uint64_t file_offset);

}  // namespace stallscope::python_frames
