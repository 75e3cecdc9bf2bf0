#include "python_frames/interpreter.hpp"

#include <sys/mman.h>

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "process_reading/process_memory.hpp"
#include "process_reading/program_symbols.hpp"

namespace stallscope::python_frames {
namespace {

constexpr std::array<std::string_view, 3> symbol_names{"_PyRuntime", "Py_Version", "PyCode_Type"};
constexpr unsigned oldest_minor_version = 11;
constexpr std::size_t max_files = 16;
// A process may have 65,530 mappings by default.
constexpr std::size_t max_mappings = 70'000;
constexpr std::uint64_t bytes_per_mapping = 64;  // of /proc/PID/maps, without the path

struct placed_symbols {
  std::uint64_t runtime = 0;
  std::uint64_t version = 0;  // 0: older than 3.11, which lacks the symbol
  std::uint64_t code_type = 0;
};

std::string_view name_of(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

// The first executable mapping of every file that may contain an interpreter: the program itself,
// which may be linked with CPython, and files named python* or libpython*.
std::vector<memory_mapping> candidates(const procfs& proc, pid_t pid,
                                       process_reading::read_budget& budget) {
  std::vector<memory_mapping> chosen;
  bool first = true;
  std::size_t count = 0;
  proc.visit_mappings(pid, [&](const memory_mapping& mapping) {
    if (++count > max_mappings || chosen.size() >= max_files ||
        !budget.take(bytes_per_mapping + mapping.path.size()))
      return false;
    if ((mapping.protection & PROT_EXEC) == 0 || !mapping.path.starts_with('/')) return true;
    const auto name = name_of(mapping.path);
    const bool likely = name.starts_with("python") || name.starts_with("libpython");
    const bool is_listed = !chosen.empty() && chosen.back().path == mapping.path;
    if ((first || likely) && !is_listed) chosen.push_back(mapping);
    first = false;
    return true;
  });
  return chosen;
}

std::optional<placed_symbols> symbols_in(const descriptor& fd, const memory_mapping& mapping,
                                         process_reading::symbol_scope scope,
                                         process_reading::read_budget& budget) {
  const auto symbols = process_reading::find_symbols(fd.get(), symbol_names, scope, budget);
  const auto first = process_reading::address_of_offset(symbols, mapping.page_offset);
  if (!symbols.addresses[0] || !symbols.addresses[2] || !first) return std::nullopt;
  const std::uint64_t bias = mapping.start - *first;
  return placed_symbols{*symbols.addresses[0] + bias,
                        symbols.addresses[1] ? *symbols.addresses[1] + bias : 0,
                        *symbols.addresses[2] + bias};
}

interpreter_search refused(std::string why) { return {{}, true, std::move(why), false, false}; }

interpreter_search read_interpreter(const process_reading::process_memory& memory,
                                    const placed_symbols& symbols) {
  std::uint64_t version = 0;
  if (symbols.version == 0) return refused("CPython older than 3.11");
  if (!memory.read_value(symbols.version, version))
    return refused("no permission to read the memory of the process");
  const auto number = static_cast<std::uint32_t>(version);
  const std::string text = "CPython " + version_text(number);
  const unsigned minor_version = (number >> 16U) & 0xffU;
  if (number >> 24U != 3 || minor_version < oldest_minor_version)
    return refused(text + ": unsupported version");
  interpreter result{symbols.runtime, symbols.code_type, version_text(number), {}};
  if (const auto layout = known_layout(minor_version)) {
    result.fields = *layout;
    return {result, true, {}, false, false};
  }
  std::array<std::byte, debug_offsets_bytes> runtime{};
  if (!memory.read(symbols.runtime, runtime))
    return refused(text + ": its runtime state cannot be read");
  auto offsets = layout_from_debug_offsets(runtime, number);
  if (!offsets.fields) return refused(text + ": " + offsets.refusal);
  result.fields = *offsets.fields;
  return {result, true, {}, false, false};
}

}  // namespace

std::string version_text(std::uint32_t version) {
  return std::to_string(version >> 24U) + "." + std::to_string((version >> 16U) & 0xffU) + "." +
         std::to_string((version >> 8U) & 0xffU);
}

// The linker's symbol tables are much larger than the dynamic ones, so the dynamic symbols of all
// files are searched first.
interpreter_search find_interpreter(const procfs& proc, pid_t pid,
                                    process_reading::read_budget& budget, search_depth depth) {
  const auto files = candidates(proc, pid, budget);
  interpreter_search result;
  bool closed = false;
  bool named = false;  // a file has the name of an interpreter
  for (const auto scope :
       {process_reading::symbol_scope::dynamic, process_reading::symbol_scope::linker}) {
    if (scope == process_reading::symbol_scope::linker && depth == search_depth::exported) break;
    result.read_all_symbols = scope == process_reading::symbol_scope::linker;
    for (const auto& mapping : files) {
      if (budget.exhausted()) break;
      const auto fd = open_mapped_file(proc, pid, mapping);
      const auto name = name_of(mapping.path);
      const bool python = name.starts_with("python3") || name.starts_with("libpython3");
      named = named || python;
      closed = closed || (!fd && python);
      if (!fd) continue;
      if (const auto symbols = symbols_in(fd, mapping, scope, budget))
        return read_interpreter(process_reading::process_memory{pid}, *symbols);
    }
  }
  result.over_budget = budget.exhausted();
  if (result.over_budget && named) {
    result.present = true;
    result.refusal = "its files exceed the limits of size and time of the search";
  } else if (closed && proc.status(pid)) {
    result.present = true;
    result.refusal = "no permission to open the interpreter of the process";
  }
  return result;
}

}  // namespace stallscope::python_frames
