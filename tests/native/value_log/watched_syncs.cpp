#include "value_log/watched_syncs.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <mutex>

namespace {

std::mutex syncs_mutex;
bool syncs_watched = false;
int syncs_fail_with = 0;
std::vector<std::string> syncs_seen;

}  // namespace

// Replaces the function of the C library: symbols of the program come first.
extern "C" int fsync(int file) {
  const std::lock_guard lock(syncs_mutex);
  if (syncs_watched) {
    syncs_seen.push_back(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file)));
    errno = syncs_fail_with;
    if (syncs_fail_with != 0) return -1;
  }
  return static_cast<int>(::syscall(SYS_fsync, file));
}

namespace stallscope::value_log {

watched_syncs::watched_syncs(int failing_with) {
  const std::lock_guard lock(syncs_mutex);
  syncs_watched = true;
  syncs_fail_with = failing_with;
  syncs_seen.clear();
}

watched_syncs::~watched_syncs() {
  const std::lock_guard lock(syncs_mutex);
  syncs_watched = false;
}

std::vector<std::string> watched_syncs::of() const {
  const std::lock_guard lock(syncs_mutex);
  return syncs_seen;
}

}  // namespace stallscope::value_log
