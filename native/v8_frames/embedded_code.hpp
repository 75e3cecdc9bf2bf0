// Where the builtins lie in a file of V8 that has no linker symbols (Debian's libnode.so). V8
// exports functions that return the address and the size of its embedded code; both consist of a
// load and a return, which are decoded here. Costs four small reads. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "process_reading/dynamic_symbols.hpp"
#include "process_reading/elf_file.hpp"
#include "process_reading/process_memory.hpp"

namespace stallscope::v8_frames {

// A value that a function returns: a constant, what a variable contains (one load), or what a
// variable contains whose address a table has (two loads).
struct returned_value {
  std::uint64_t value = 0;  // the constant, or the address of the first load
  unsigned loads = 0;
};

// Decodes a function at `address` that only returns a value; nullopt for any other code.
std::optional<returned_value> decode_returned_value(std::span<const std::byte> code,
                                                    std::uint64_t address);

struct embedded_code {
  std::uint64_t begin = 0;  // offset in the file
  std::uint64_t end = 0;
};

// `bias`: difference between the addresses in the process and those of the file.
std::optional<embedded_code> find_embedded_code(const process_reading::elf_file& file,
                                                const process_reading::dynamic_symbols& symbols,
                                                const process_reading::process_memory& memory,
                                                std::uint64_t bias);

}  // namespace stallscope::v8_frames
