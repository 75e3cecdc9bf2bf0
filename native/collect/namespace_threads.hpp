// The threads of a process in another pid namespace, such as one in a container: their numbers
// there and in the namespace of the recorder. Costs nothing for a process of the recorder's
// namespace, otherwise a file of /proc per thread, at most every 100 ms. One thread.
//
//   namespace_threads threads{proc, pid};
//   const auto tid = threads.here(mark.tid, monotonic_ns());
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "base/procfs.hpp"

namespace stallscope::collect {

// The numbers of a process or thread in the recorder's and in its innermost namespace, from the
// text of /proc/PID/status; zeros if it has none.
struct namespace_numbers {
  std::uint32_t here = 0;
  std::uint32_t there = 0;
};
[[nodiscard]] namespace_numbers parse_namespace_numbers(std::string_view status);

class namespace_threads {
 public:
  namespace_threads(const procfs& proc, pid_t pid);

  // The number of a thread in the recorder's namespace; 0 if it is not known.
  [[nodiscard]] std::uint32_t here(std::uint32_t there, std::uint64_t now_ns);

 private:
  void read(std::uint64_t now_ns);

  procfs proc_;
  pid_t pid_;
  bool same_;
  std::uint64_t next_read_ns_ = 0;
  std::unordered_map<std::uint32_t, std::uint32_t> known_;
};

}  // namespace stallscope::collect
