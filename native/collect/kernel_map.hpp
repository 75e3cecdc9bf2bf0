// The kernel's map and symbols: MMAP records and the build id for samples.perf, and a copy of the
// text symbols, so that a recording can be read on another host. If addresses are hidden
// (kptr_restrict), there is no map. Costs a read of /proc/kallsyms, about 10 MB. Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/failure.hpp"
#include "collect/record_buffer.hpp"

namespace stallscope::collect {

struct kernel_symbol {
  std::uint64_t address = 0;
  char kind = '?';
  std::string_view name;
  std::string_view rest;  // the module in brackets, or empty
};

std::optional<kernel_symbol> parse_kallsyms_line(std::string_view line);

struct kernel_layout {
  std::string reference;  // "_text" or "_stext"
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

// Returns the address range of the kernel's text; nullopt if addresses are hidden.
std::optional<kernel_layout> read_kernel_layout(const std::string& kallsyms = "/proc/kallsyms");

// The warning that states why there is no layout.
warning no_kernel_layout(const std::string& kallsyms = "/proc/kallsyms");

void put_kernel_map(record_buffer& out, const kernel_layout& layout);
void put_kernel_modules(record_buffer& out, const std::string& modules = "/proc/modules");
void put_kernel_build_id(record_buffer& out, const std::string& notes = "/sys/kernel/notes");

// Writes the text symbols to a file. Returns the bytes written; 0 if addresses are hidden or
// interrupted() returns true.
std::uint64_t copy_kallsyms(const descriptor& to, const std::function<bool()>& interrupted,
                            const std::string& kallsyms = "/proc/kallsyms");

}  // namespace stallscope::collect
