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

constexpr std::uint32_t usual_alignment = 512;

std::string name_of(const target& on) {
  return on.path.empty() ? "descriptor " + std::to_string(*on.fd) : on.path;
}

descriptor opened(const target& on) {
  if (on.fd) {
    descriptor own{::fcntl(*on.fd, F_DUPFD_CLOEXEC, 3)};
    if (own) return own;
  } else {
    // Never for writing: whether anything there may be lost is known to who opens a descriptor.
    constexpr int flags = O_RDONLY | O_DIRECT | O_CLOEXEC | O_NOFOLLOW;
    descriptor own{::open(on.path.c_str(), flags)};
    if (own) return own;
  }
  const int error = errno;
  throw failure(exit_code::usage, "cannot open " + name_of(on) + ": " + std::strerror(error),
                error == EINVAL ? "its filesystem has no direct I/O: name a file on another one"
                                : "name a file or a block device that this user may read");
}

std::uint64_t size_of(int fd, const target& on) {
  struct stat status {};
  std::uint64_t size = 0;
  if (::fstat(fd, &status) == 0) {
    if (S_ISREG(status.st_mode)) return static_cast<std::uint64_t>(status.st_size);
    if (S_ISBLK(status.st_mode) && ::ioctl(fd, BLKGETSIZE64, &size) == 0) return size;
  }
  throw failure(exit_code::usage, name_of(on) + " is neither a regular file nor a block device",
                "name a file or a block device");
}

// Linux tells since 6.1 what a file asks of direct I/O.
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
  return usual_alignment;
}

void check_alignment(const plan& asked, std::uint32_t alignment) {
  const auto check = [&](const std::string& what, std::uint64_t bytes) {
    if (bytes % alignment == 0) return;
    throw failure(exit_code::usage,
                  what + " of " + std::to_string(bytes) + " bytes is not a multiple of " +
                      std::to_string(alignment) + ", which direct I/O on " + name_of(asked.target) +
                      " requires",
                  "choose a multiple of it");
  };
  check("an offset", asked.target.offset);
  for (const point& one : asked.points) check("a block", one.block_bytes);
}

void check_access(int mode, const plan& asked) {
  const bool writes =
      std::ranges::any_of(asked.points, [](const point& one) { return one.read_share < 1; });
  if (writes && (mode & O_ACCMODE) != O_RDWR) {
    throw failure(exit_code::usage, name_of(asked.target) + " is not open for writing",
                  "points that write need a descriptor (fd) that was opened for both");
  }
}

}  // namespace

target_file open_target(const plan& asked) {
  const target& on = asked.target;
  target_file found{.fd = opened(on)};
  const int mode = ::fcntl(found.fd.get(), F_GETFL);
  found.direct = (mode & O_DIRECT) != 0;
  check_access(mode, asked);
  const std::uint64_t size = size_of(found.fd.get(), on);
  if (on.offset > size || on.span_bytes > size - on.offset) {
    throw failure(exit_code::usage,
                  name_of(on) + " has " + std::to_string(size) + " bytes, and the span ends at " +
                      std::to_string(on.offset) + " + " + std::to_string(on.span_bytes),
                  "name a larger file, or a smaller span");
  }
  if (found.direct) check_alignment(asked, alignment_of(found.fd.get()));
  return found;
}

}  // namespace stallscope::disk
