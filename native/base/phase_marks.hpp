// Marks the measured phase of a load on a descriptor, for a counting that covers exactly this phase
// (stallscope-collect count --phases). A mark names a time on the monotonic clock, which may be in
// the future, so that the load need not pause at the change. Costs one system call per mark. A
// reader that has ended is ignored. Any thread.
//
//   phase_marks marks{fd};
//   marks.start(begin_ns);
//   marks.stop(end_ns);
#pragma once

#include <cstdint>

namespace stallscope {

class phase_marks {
 public:
  // The caller keeps the descriptor; -1: marks are dropped.
  explicit phase_marks(int fd) : fd_{fd} {}

  void start(std::uint64_t monotonic_ns) const noexcept { mark("start", monotonic_ns); }
  // A stop that is earlier than the announced one replaces it.
  void stop(std::uint64_t monotonic_ns) const noexcept { mark("stop", monotonic_ns); }

 private:
  void mark(const char* word, std::uint64_t monotonic_ns) const noexcept;

  int fd_;
};

}  // namespace stallscope
