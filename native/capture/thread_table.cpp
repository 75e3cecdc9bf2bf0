#include "capture/thread_table.hpp"

#include <utility>

namespace stallscope::capture {
namespace {

std::uint64_t hash_of_ids(std::int32_t pid, std::int32_t tid) {
  return hash_word(hash_seed(), std::uint64_t{static_cast<std::uint32_t>(pid)} << 32U |
                                    static_cast<std::uint32_t>(tid));
}

}  // namespace

std::uint32_t thread_table::find(std::int32_t pid, std::int32_t tid) const {
  return index_.find(hash_of_ids(pid, tid), [&](std::uint32_t number) {
    return threads_[number].pid == pid && threads_[number].tid == tid;
  });
}

std::uint32_t thread_table::intern(std::int32_t pid, std::int32_t tid) {
  std::uint32_t number = find(pid, tid);
  if (number == hash_index::none) {
    number = static_cast<std::uint32_t>(threads_.size());
    budget_.charge(2 * (sizeof(thread) + sizeof(std::uint32_t)));
    index_.insert(hash_of_ids(pid, tid), number);
    threads_.push_back({pid, tid, pid == 0 && tid == 0 ? "swapper" : "", ""});
    processes_.push_back(process(pid));
  }
  return number;
}

std::uint32_t thread_table::process(std::int32_t pid) {
  const std::uint64_t hash = hash_of_ids(pid, -1);
  std::uint32_t number =
      process_index_.find(hash, [&](std::uint32_t other) { return process_pids_[other] == pid; });
  if (number == hash_index::none) {
    number = static_cast<std::uint32_t>(process_pids_.size());
    process_index_.insert(hash, number);
    process_pids_.push_back(pid);
  }
  return number;
}

void thread_table::rename(std::uint32_t thread, std::string_view name) {
  if (name.size() > threads_[thread].name.size()) {
    budget_.charge(name.size());
  }
  threads_[thread].name = name;
}

void thread_table::inherit_name(std::uint32_t child, std::uint32_t parent) {
  if (child != parent && !threads_[parent].name.empty()) {
    rename(child, std::string(threads_[parent].name));
  }
}

std::vector<thread> thread_table::finish() {
  for (thread& member : threads_) {
    const std::uint32_t leader = find(member.pid, member.pid);
    if (leader != hash_index::none) {
      budget_.charge(threads_[leader].name.size());
      member.process_name = threads_[leader].name;
    }
  }
  return std::move(threads_);
}

}  // namespace stallscope::capture
