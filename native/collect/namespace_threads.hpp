// The threads of a process in another pid namespace, such as one in a container: their numbers
// there and in the namespace of the recorder. Costs nothing for a process of the recorder's
// namespace, otherwise a file of /proc per thread, at most every 100 ms. One thread.
//
//   namespace_threads threads{proc, pid};
//   const auto tid = threads.recorder_tid(mark.tid, monotonic_ns());
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <unordered_map>

#include "base/procfs.hpp"

namespace stallscope::collect {

class namespace_threads {
 public:
  namespace_threads(const procfs& proc, pid_t pid);

  // The number in the recorder's namespace of a thread that has the number `tid` in its own; 0 if
  // it is not known.
  [[nodiscard]] std::uint32_t recorder_tid(std::uint32_t tid, std::uint64_t now_ns);

 private:
  void read(std::uint64_t now_ns);

  procfs proc_;
  pid_t pid_;
  bool same_namespace_;
  std::uint64_t next_read_ns_ = 0;
  std::unordered_map<std::uint32_t, std::uint32_t> recorder_tids_;
};

}  // namespace stallscope::collect
