#include "php_frames/detection.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "managed_frames/runtime_file.hpp"
#include "php_frames/layout.hpp"
#include "php_frames/reader.hpp"

namespace stallscope::php_frames {
namespace {

using managed_frames::runtime_detection;
using managed_frames::target_view;
using process_reading::process_memory;
using process_reading::value_at;

constexpr std::array<std::string_view, 2> file_names{"php", "libphp"};
constexpr std::array<std::string_view, 2> module_symbols{"module_registry", "execute_ex"};
constexpr std::array<std::string_view, 3> symbols{"module_registry", "execute_ex",
                                                  "executor_globals"};
// HashTable and its buckets (zend_types.h), zend_module_entry (zend_modules.h); the same since 7.3.
constexpr std::size_t table_bytes = 32;
constexpr std::size_t table_buckets = 16;
constexpr std::size_t table_used = 24;
constexpr std::size_t bucket_bytes = 32;
constexpr std::size_t module_bytes = 96;
constexpr std::size_t module_api = 4;
constexpr std::size_t module_thread_safe = 9;
constexpr std::size_t module_name = 32;
constexpr std::size_t module_version = 88;
constexpr std::size_t max_modules = 64;
constexpr std::size_t max_version_length = 32;

struct module_facts {
  std::uint32_t api = 0;
  bool thread_safe = false;
  std::string version;
};

std::string text_at(const process_memory& memory, std::uint64_t address) {
  std::array<std::byte, max_version_length> bytes{};
  const auto count = memory.read_some(address, bytes);
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()), count};
  return std::string{text.substr(0, text.find('\0'))};
}

// The module "standard", which every PHP has, and which has the version of PHP.
std::optional<module_facts> standard_module(const process_memory& memory, std::uint64_t registry) {
  std::array<std::byte, table_bytes> table{};
  if (!memory.read(registry, table)) return std::nullopt;
  const auto used = std::min<std::size_t>(value_at<std::uint32_t>(table, table_used), max_modules);
  std::vector<std::byte> buckets(used * bucket_bytes);
  if (buckets.empty() || !memory.read(value_at<std::uint64_t>(table, table_buckets), buckets))
    return std::nullopt;
  for (std::size_t i = 0; i < used; ++i) {
    std::array<std::byte, module_bytes> module{};
    if (!memory.read(value_at<std::uint64_t>(buckets, i * bucket_bytes), module) ||
        text_at(memory, value_at<std::uint64_t>(module, module_name)) != "standard")
      continue;
    return module_facts{value_at<std::uint32_t>(module, module_api),
                        value_at<std::uint8_t>(module, module_thread_safe) != 0,
                        text_at(memory, value_at<std::uint64_t>(module, module_version))};
  }
  return std::nullopt;
}

runtime_detection detect_php(const target_view& view, managed_frames::function_log& log,
                             process_reading::read_budget& budget) {
  const auto file = managed_frames::find_runtime_file(view, file_names, module_symbols, budget);
  if (!file) return {};
  std::uint64_t word = 0;
  if (!view.memory.read_value(file->addresses[0], word))
    return runtime_detection::refused({}, "no permission to read the memory of the process");
  const auto module = standard_module(view.memory, file->addresses[0]);
  if (!module) return {.present = true};  // it has not loaded its modules yet
  if (module->thread_safe)
    return runtime_detection::refused(module->version, "thread-safe builds are not supported");
  const auto fields = layout_of(module->api);
  if (!fields) return runtime_detection::refused(module->version, "unsupported version");
  const auto globals = managed_frames::find_runtime_file(view, file_names, symbols, budget);
  if (!globals) return runtime_detection::refused(module->version, "no symbol executor_globals");
  return {.present = true,
          .version = module->version,
          .refusal = {},
          .reader = std::make_unique<reader>(view.pid, *fields, globals->addresses[2], log)};
}

}  // namespace

managed_frames::runtime_kind php_kind() {
  return {"php",
          [](const target_view& view, process_reading::read_budget& budget) {
            return managed_frames::maps_file_named(view, file_names) &&
                   managed_frames::find_runtime_file(view, file_names, module_symbols, budget);
          },
          detect_php};
}

}  // namespace stallscope::php_frames
