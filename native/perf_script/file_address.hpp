// Addresses of frames in files, whose functions are read from debug information: import --inline.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "perf_script/frame_line.hpp"

namespace stallscope::perf_script {

struct file_address {
  std::uint64_t address;                // of the process, or of the file
  std::optional<std::uint64_t> offset;  // to the begin of the symbol
  std::uint32_t symbol;                 // number of its text, without the offset
  std::uint32_t file;                   // number of its path
  std::uint32_t function;
};

// Returns the address of a frame if debug information can name it: that of a path which is neither
// of the kernel nor the map of a JIT compiler, as in stackcollapse-perf.
std::optional<std::uint64_t> address_in_file(const frame_line& frame);

// Returns the value of hexadecimal digits; nullopt for other text, and beyond 64 bits.
std::optional<std::uint64_t> hexadecimal(std::string_view digits);

}  // namespace stallscope::perf_script
