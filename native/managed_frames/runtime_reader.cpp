#include "managed_frames/runtime_reader.hpp"

#include <sys/mman.h>

namespace stallscope::managed_frames {
namespace {

// A process may have 65,530 mappings by default.
constexpr std::size_t max_mappings = 70'000;
constexpr std::uint64_t bytes_per_mapping = 64;  // of /proc/PID/maps, without the path

}  // namespace

target_view view_of(const procfs& proc, pid_t pid, process_reading::read_budget& budget) {
  target_view view{proc, pid, process_reading::process_memory{pid}, {}};
  std::size_t count = 0;
  proc.visit_mappings(pid, [&](const memory_mapping& mapping) {
    if (++count > max_mappings || !budget.take(bytes_per_mapping + mapping.path.size()))
      return false;
    if ((mapping.protection & PROT_EXEC) != 0) view.mappings.push_back(mapping);
    return true;
  });
  return view;
}

}  // namespace stallscope::managed_frames
