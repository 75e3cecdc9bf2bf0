#include "collect/exec_watch.hpp"

#include <utility>

namespace stallscope::collect {
namespace {

constexpr std::size_t max_names = 8;
// The trailer holds thread, time, CPU and identifier.
constexpr std::uint64_t time_from_end = 24;
constexpr std::uint64_t name_at = 16;
constexpr std::uint64_t max_command_name = 16;

std::string name_of(const perf_events::record_view& comm) {
  std::string name;
  for (std::uint64_t at = 0; at < max_command_name; ++at) {
    const auto byte = static_cast<char>(comm.u64(name_at + at / 8 * 8) >> (8 * (at % 8)) & 0xffU);
    if (byte == '\0') break;
    name += byte;
  }
  return name;
}

}  // namespace

void exec_watch::observe(const perf_events::record_view& record) {
  if (record.size() < name_at + time_from_end) return;
  const auto pid = static_cast<pid_t>(record.u32(8));
  const std::uint64_t time_ns = record.u64(record.size() - time_from_end);
  if (record.type() == PERF_RECORD_COMM && (record.misc() & PERF_RECORD_MISC_COMM_EXEC) != 0) {
    starts_[pid] = {.name = name_of(record), .exec_ns = time_ns};
    return;
  }
  const auto entry = starts_.find(pid);
  if (entry == starts_.end()) return;
  if (record.type() == PERF_RECORD_MMAP2) entry->second.mapped_ns = time_ns;
  if (record.type() == PERF_RECORD_EXIT) entry->second.exit_ns = time_ns;
}

void exec_watch::settle() {
  for (auto entry = starts_.begin(); entry != starts_.end();) {
    start& program = entry->second;
    const bool mapped = program.mapped_ns > program.exec_ns;
    const bool ended = program.exit_ns > program.exec_ns;
    if (!std::exchange(program.seen, true) || (!mapped && !ended)) {
      ++entry;
      continue;
    }
    if (!mapped && programs_.size() < max_names) programs_.insert(program.name);
    entry = starts_.erase(entry);
  }
}

}  // namespace stallscope::collect
