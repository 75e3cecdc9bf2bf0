// Records the names of files and directories that this process makes durable with fsync(), during
// the lifetime of an instance; the calls reach the kernel or fail on request. One instance at a
// time.
#pragma once

#include <string>
#include <vector>

namespace stallscope::value_log {

class watched_syncs {
 public:
  explicit watched_syncs(int failing_with = 0);
  ~watched_syncs();
  watched_syncs(const watched_syncs&) = delete;
  watched_syncs& operator=(const watched_syncs&) = delete;
  watched_syncs(watched_syncs&&) = delete;
  watched_syncs& operator=(watched_syncs&&) = delete;

  [[nodiscard]] std::vector<std::string> of() const;  // so far
};

}  // namespace stallscope::value_log
