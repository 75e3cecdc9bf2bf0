#include "ruby_frames/detection.hpp"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "managed_frames/runtime_file.hpp"
#include "ruby_frames/layout.hpp"
#include "ruby_frames/reader.hpp"

namespace stallscope::ruby_frames {
namespace {

using managed_frames::runtime_detection;
using managed_frames::target_view;

constexpr std::array<std::string_view, 2> file_names{"libruby", "ruby"};
constexpr std::array<std::string_view, 3> symbols{"ruby_version", "ruby_current_vm_ptr",
                                                  "rb_vm_exec"};
constexpr std::size_t max_version_length = 16;
// reg_pc of vm_exec_core is r14 or x19 (vm_exec.c).
constexpr unsigned loop_counter =
    unwind::this_architecture() == unwind::architecture::arm64 ? 19 : 14;

runtime_detection detect_ruby(const target_view& view, managed_frames::function_log& log,
                              process_reading::read_budget& budget) {
  const auto file = managed_frames::find_runtime_file(view, file_names, symbols, budget);
  if (!file) return {};
  std::array<std::byte, max_version_length> bytes{};
  const auto count = view.memory.read_some(file->addresses[0], bytes);
  if (count == 0)
    return runtime_detection::refused({}, "no permission to read the memory of the process");
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()), count};
  const std::string version{text.substr(0, text.find('\0'))};
  const auto fields = layout_of(version, unwind::this_architecture());
  if (!fields) return runtime_detection::refused(version, "unsupported version");
  std::uint64_t vm = 0;
  std::uint64_t ractor = 0;
  if (!view.memory.read_value(file->addresses[1], vm) || vm == 0 ||
      !view.memory.read_value(vm + fields->vm_main_ractor, ractor) || ractor == 0)
    return {.present = true};  // not started yet
  const managed_frames::address_range loop{file->addresses[2], file->addresses[2] + file->bytes[2]};
  objects names{view.memory, *fields, file->writable};
  return {.present = true,
          .version = version,
          .refusal = {},
          .reader = std::make_unique<reader>(view.pid, *fields, file->addresses[1],
                                             std::move(names), log),
          .loop = loop,
          .loop_counter = loop_counter};
}

}  // namespace

managed_frames::runtime_kind ruby_kind() {
  return {"ruby",
          [](const target_view& view, process_reading::read_budget& budget) {
            return managed_frames::maps_file_named(view, file_names) &&
                   managed_frames::find_runtime_file(view, file_names, symbols, budget);
          },
          detect_ruby};
}

}  // namespace stallscope::ruby_frames
