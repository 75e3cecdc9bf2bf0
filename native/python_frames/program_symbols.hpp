// Addresses of a few symbols in an ELF file, found without mapping it: among the dynamic
// symbols, or among those for the linker. The file is a stranger's input: every size is bounded,
// what is malformed has no symbol. Costs a read of the symbol table, some 10 us per 1,000 symbols.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace stallscope::python_frames {

enum class symbol_scope { dynamic, linker };

struct program_symbols {
  // In the order of the names asked for, as the file has them (without the load bias).
  std::vector<std::optional<std::uint64_t>> addresses;
  // What lies at a file offset of an executable segment; with a mapping's start it gives the bias.
  struct segment {
    std::uint64_t file_offset = 0;
    std::uint64_t size_bytes = 0;
    std::uint64_t address = 0;
  };
  std::vector<segment> executable;
};

program_symbols find_symbols(int fd, std::span<const std::string_view> names, symbol_scope scope);

// The address that a mapping's first byte has in the file; nothing where no segment holds it.
std::optional<std::uint64_t> address_of_offset(const program_symbols& symbols,
                                               std::uint64_t file_offset);

}  // namespace stallscope::python_frames
