#include "collect/namespace_threads.hpp"

#include "process_reading/native_ids.hpp"

namespace stallscope::collect {
namespace {

constexpr std::uint64_t between_reads_ns = 100'000'000;

}  // namespace

namespace_threads::namespace_threads(const procfs& proc, pid_t pid)
    : proc_{proc},
      pid_{pid},
      same_namespace_{process_reading::namespace_ids(proc, pid, pid).size() <= 1} {}

std::uint32_t namespace_threads::recorder_tid(std::uint32_t tid, std::uint64_t now_ns) {
  if (same_namespace_) return tid;
  auto place = recorder_tids_.find(tid);
  if (place == recorder_tids_.end() && now_ns >= next_read_ns_) {
    read(now_ns);
    place = recorder_tids_.find(tid);
  }
  return place == recorder_tids_.end() ? 0 : place->second;
}

void namespace_threads::read(std::uint64_t now_ns) {
  next_read_ns_ = now_ns + between_reads_ns;
  for (const pid_t tid : proc_.threads(pid_)) {
    const auto ids = process_reading::namespace_ids(proc_, pid_, tid);
    if (ids.empty()) continue;
    recorder_tids_[static_cast<std::uint32_t>(ids.back())] =
        static_cast<std::uint32_t>(ids.front());
  }
}

}  // namespace stallscope::collect
