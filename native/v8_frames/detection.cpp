#include "v8_frames/detection.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "managed_frames/runtime_file.hpp"
#include "process_reading/dynamic_symbols.hpp"
#include "process_reading/elf_file.hpp"
#include "v8_frames/builtin_table.hpp"
#include "v8_frames/embedded_code.hpp"
#include "v8_frames/layout.hpp"
#include "v8_frames/reader.hpp"

namespace stallscope::v8_frames {
namespace {

using managed_frames::function_log;
using managed_frames::runtime_detection;
using managed_frames::target_view;
using process_reading::dynamic_symbols;
using process_reading::elf_file;
using process_reading::read_budget;

constexpr std::array<std::string_view, 3> version_symbols{"_ZN2v88internal7Version6major_E",
                                                          "_ZN2v88internal7Version6minor_E",
                                                          "_ZN2v88internal7Version6build_E"};
constexpr std::size_t max_files = 128;

struct v8_file {
  memory_mapping mapping;
  descriptor fd;
};

// The first executable mapping of the file that exports V8's version, and the file.
std::optional<v8_file> find_v8(const target_view& view, read_budget& budget) {
  std::string previous;
  std::size_t files = 0;
  for (const auto& mapping : view.mappings) {
    if (!mapping.path.starts_with('/') || mapping.path == previous) continue;
    previous = mapping.path;
    if (++files > max_files || budget.exhausted()) break;
    auto fd = open_mapped_file(view.proc, view.pid, mapping);
    if (!fd) continue;
    const auto file = elf_file::open(fd.get(), budget);
    if (file && dynamic_symbols{*file}.value_of(version_symbols.front()))
      return v8_file{mapping, std::move(fd)};
  }
  return std::nullopt;
}

bool runs_v8(const target_view& view, read_budget& budget) {
  return find_v8(view, budget).has_value();
}

// The constants are initialized data of the file; reading them there needs no process.
std::optional<std::int32_t> constant_of(const elf_file& file, const dynamic_symbols& symbols,
                                        std::string_view name) {
  const auto address = symbols.value_of(name);
  const auto offset = address ? file.offset_of(*address, sizeof(std::int32_t)) : std::nullopt;
  return offset ? file.read_value<std::int32_t>(*offset) : std::nullopt;
}

runtime_detection detect_v8(const target_view& view, function_log& log, read_budget& budget) {
  const auto v8 = find_v8(view, budget);
  if (!v8) return {};
  const auto file = elf_file::open(v8->fd.get(), budget);
  if (!file) return runtime_detection::refused({}, "its file cannot be read");
  const dynamic_symbols symbols{*file};
  std::array<std::int32_t, version_symbols.size()> numbers{};
  std::string version;
  for (std::size_t i = 0; i < version_symbols.size(); ++i) {
    numbers.at(i) = constant_of(*file, symbols, version_symbols.at(i)).value_or(-1);
    version.append(i == 0 ? "" : ".").append(std::to_string(numbers.at(i)));
  }
  std::uint64_t word = 0;
  if (!view.memory.read_value(v8->mapping.start, word))
    return runtime_detection::refused(version, "no permission to read the memory of the process");
  const auto fields =
      layout_of(static_cast<std::uint32_t>(numbers[0]), static_cast<std::uint32_t>(numbers[1]),
                [&](std::string_view name) {
                  return constant_of(*file, symbols, std::string{"v8dbg_"}.append(name));
                });
  if (!fields.fields) return runtime_detection::refused(version, fields.refusal);
  auto builtins = read_builtins(*file);
  const auto bias = managed_frames::bias_of(*file, v8->mapping);
  if (builtins.empty() && bias) {
    if (const auto code = find_embedded_code(*file, symbols, view.memory, *bias))
      builtins.push_back({code->begin, code->end, "[V8 builtin]", false, true});
  }
  code_areas areas{view.proc, view.pid, v8->mapping, std::move(builtins)};
  return {.present = true,
          .version = version,
          .refusal = {},
          .reader = std::make_unique<reader>(view.pid, *fields.fields, std::move(areas), log)};
}

}  // namespace

managed_frames::runtime_kind v8_kind() { return {"v8", runs_v8, detect_v8}; }

}  // namespace stallscope::v8_frames
