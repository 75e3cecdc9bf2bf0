#include "base/failure.hpp"

#include <cerrno>

namespace stallscope {
namespace {

// The errors of an output whose disk is full or fails; the remedy, or nullptr for other errors.
const char* remedy_for_output(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "free some space there, or name another path";
    case EFBIG:
      return "raise the limit of file sizes (ulimit -f), or name another path";
    case EIO:
      return "check the disk and its file system, or name another path";
    default:
      return nullptr;
  }
}

const char* remedy_for_resource(int error) {
  switch (error) {
    case EMFILE:
      return "raise the limit of open files (ulimit -n)";
    case ENFILE:
      return "close files, or raise the machine's limit of open files (sysctl fs.file-max)";
    case ENOMEM:
    case ENOBUFS:
      return "free memory, or raise the limits of memory (ulimit -v, memory.max of the cgroup)";
    case EAGAIN:
      return "raise the limits of processes and threads (ulimit -u, pids.max of the cgroup)";
    case ENOSPC:
      return "raise the kernel's limit for this call (of epoll_ctl: sysctl "
             "fs.epoll.max_user_watches)";
    default:
      return nullptr;
  }
}

}  // namespace

failure failure_of(const std::system_error& error, const std::string& remedy) {
  const int number = error.code().value();
  if (dynamic_cast<const output_error*>(&error) != nullptr) {
    if (const char* known = remedy_for_output(number))
      return {exit_code::unwritable, error.what(), known};
  }
  const char* known = remedy_for_resource(number);
  return {exit_code::unable, error.what(), known != nullptr ? known : remedy};
}

}  // namespace stallscope
