// The records that give later samples their meaning (mappings, names, forks, exits), after the
// samples beside them were dropped. Records without effect on later samples are removed now and
// then, so that the size depends on the processes that live and not on the time. Costs a sort of
// the kept records whenever their size has doubled. One thread.
//
//   side_records kept{max_bytes, [&proc](pid_t pid) { return proc.exists(pid); }};
//   kept.take(dropped_block);
//   file.append(kept.bytes());
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace stallscope::collect {

class side_records {
 public:
  // `lives` is whether a process whose first thread has ended still has other threads.
  side_records(std::size_t max_bytes, std::function<bool(pid_t)> lives)
      : max_bytes_{max_bytes}, lives_{std::move(lives)} {}

  // Keeps the side records of a block of whole records.
  void take(std::span<const std::byte> records);
  // Sorts the records by time, and removes those of threads and processes that have ended,
  // mappings before an exec, and mappings that a later mapping of the same range replaces. The
  // mappings of a process that ended stay while a child uses them.
  void compact();

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  // Records of living processes that were removed because the size reached its limit, oldest
  // first: addresses in these mappings have no names.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  std::size_t max_bytes_;
  std::function<bool(pid_t)> lives_;
  std::vector<std::byte> bytes_;
  std::size_t compact_at_bytes_ = std::size_t{1} << 20U;
  std::uint64_t dropped_ = 0;
};

}  // namespace stallscope::collect
