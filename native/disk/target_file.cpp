#include "disk/target_file.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/failure.hpp"

namespace stallscope::disk {
namespace {

constexpr std::uint32_t default_alignment = 512;

std::string name_of(const target& target) {
  return target.path.empty() ? "descriptor " + std::to_string(*target.fd) : target.path;
}

descriptor open_descriptor(const target& target) {
  if (target.fd) {
    descriptor file{::fcntl(*target.fd, F_DUPFD_CLOEXEC, 3)};
    if (file) return file;
  } else {
    // Read-only: only a caller that passes a descriptor can decide to overwrite data.
    constexpr int flags = O_RDONLY | O_DIRECT | O_CLOEXEC | O_NOFOLLOW;
    descriptor file{::open(target.path.c_str(), flags)};
    if (file) return file;
  }
  const int error = errno;
  throw failure(exit_code::usage, "cannot open " + name_of(target) + ": " + std::strerror(error),
                error == EINVAL
                    ? "its filesystem does not support direct I/O: use a file on another filesystem"
                    : "use a file or block device that this user can read");
}

std::uint64_t size_of(int fd, const target& target) {
  struct stat status {};
  std::uint64_t size = 0;
  if (::fstat(fd, &status) == 0) {
    if (S_ISREG(status.st_mode)) return static_cast<std::uint64_t>(status.st_size);
    if (S_ISBLK(status.st_mode) && ::ioctl(fd, BLKGETSIZE64, &size) == 0) return size;
  }
  throw failure(exit_code::usage, name_of(target) + " is neither a regular file nor a block device",
                "use a regular file or a block device");
}

// Linux 6.1 and later report the alignment for direct I/O.
std::uint32_t alignment_of(int fd) {
#ifdef STATX_DIOALIGN
  struct statx status {};
  if (::statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &status) == 0 &&
      (status.stx_mask & STATX_DIOALIGN) != 0 && status.stx_dio_offset_align != 0) {
    return status.stx_dio_offset_align;
  }
#endif
  int sector_bytes = 0;
  if (::ioctl(fd, BLKSSZGET, &sector_bytes) == 0 && sector_bytes > 0) {
    return static_cast<std::uint32_t>(sector_bytes);
  }
  return default_alignment;
}

void check_alignment(const plan& plan, std::uint32_t alignment) {
  const auto check = [&](const std::string& what, std::uint64_t bytes) {
    if (bytes % alignment == 0) return;
    throw failure(exit_code::usage,
                  what + " of " + std::to_string(bytes) + " bytes is not a multiple of " +
                      std::to_string(alignment) + ", which direct I/O on " + name_of(plan.target) +
                      " requires",
                  "use a multiple of that alignment");
  };
  check("an offset", plan.target.offset);
  for (const point& settings : plan.points) check("a block", settings.block_bytes);
}

void check_access(int mode, const plan& plan) {
  const bool writes = std::ranges::any_of(
      plan.points, [](const point& settings) { return settings.read_share < 1; });
  if (writes && (mode & O_ACCMODE) != O_RDWR) {
    throw failure(exit_code::usage, name_of(plan.target) + " is not open for writing",
                  "pass a descriptor (fd) that is open for reading and writing");
  }
}

}  // namespace

target_file open_target(const plan& plan) {
  const disk::target& target = plan.target;
  target_file file{.fd = open_descriptor(target)};
  const int mode = ::fcntl(file.fd.get(), F_GETFL);
  file.direct = (mode & O_DIRECT) != 0;
  check_access(mode, plan);
  const std::uint64_t size = size_of(file.fd.get(), target);
  if (target.offset > size || target.span_bytes > size - target.offset) {
    throw failure(exit_code::usage,
                  name_of(target) + " has " + std::to_string(size) +
                      " bytes, but the span ends at " + std::to_string(target.offset) + " + " +
                      std::to_string(target.span_bytes),
                  "use a larger file or a smaller span");
  }
  if (file.direct) check_alignment(plan, alignment_of(file.fd.get()));
  return file;
}

}  // namespace stallscope::disk
