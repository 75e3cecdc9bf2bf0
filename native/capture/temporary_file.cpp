#include "capture/temporary_file.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <limits>
#include <utility>

#include "capture/column.hpp"

namespace stallscope::capture {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20U;

std::vector<std::string> directories_of(const read_options& options) {
  if (!options.temporary_directories.empty()) {
    return options.temporary_directories;
  }
  const char* chosen = std::getenv("TMPDIR");
  if (chosen != nullptr && *chosen != '\0') {
    return {chosen};
  }
  // /tmp is memory on many systems.
  return {"/var/tmp", "/tmp"};
}

// The usable space of a file system: 90 % of the free space, so that other programs do not fail.
std::uint64_t room_of(int descriptor) {
  struct statvfs status {};
  if (fstatvfs(descriptor, &status) != 0) {
    return std::numeric_limits<std::uint64_t>::max();
  }
  const std::uint64_t free = std::uint64_t{status.f_bavail} * status.f_frsize;
  return free - free / 10;
}

// Opens an unnamed file, or an unlinked file if the file system has no unnamed files. Returns -1
// and sets errno on failure.
int open_unnamed(const std::string& directory) {
  const int unnamed = open(directory.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (unnamed >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) {
    return unnamed;
  }
  std::string path = directory + "/stallscope-XXXXXX";
  const int named = mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0) {
    unlink(path.c_str());
  }
  return named;
}

}  // namespace

temporary_file::temporary_file(const read_options& options)
    : limit_bytes_(options.temporary_limit_bytes) {
  open_in(directories_of(options));
  room_bytes_ = room_of(descriptor_);
  pending_.reserve(piece_bytes);
}

void temporary_file::open_in(const std::vector<std::string>& directories) {
  int reason = ENOENT;
  for (const std::string& directory : directories) {
    descriptor_ = open_unnamed(directory);
    if (descriptor_ >= 0) {
      directory_ = directory;
      return;
    }
    reason = errno;
  }
  throw temporary_file_error(reason, directories.front());
}

temporary_file::~temporary_file() { close(descriptor_); }

std::uint64_t temporary_file::append(std::span<const std::byte> bytes) {
  const std::uint64_t offset = written_ + pending_.size();
  if (bytes.size() > limit_bytes_ || offset > limit_bytes_ - bytes.size()) {
    throw limit_exceeded("the copied stacks need more than the limit of " +
                         std::to_string(limit_bytes_) + " bytes in " + directory_);
  }
  if (bytes.size() > room_bytes_ || offset > room_bytes_ - bytes.size()) {
    throw temporary_file_error(ENOSPC, directory_);
  }
  if (bytes.size() > piece_bytes - pending_.size()) {
    flush();
  }
  pending_.insert(pending_.end(), bytes.begin(), bytes.end());
  return offset;
}

void temporary_file::flush() {
  std::span<const std::byte> rest(pending_);
  while (!rest.empty()) {
    const ssize_t count = write(descriptor_, rest.data(), rest.size());
    if (count < 0 && errno != EINTR) {
      throw temporary_file_error(errno, directory_);
    }
    if (count > 0) {
      rest = rest.subspan(static_cast<std::size_t>(count));
      written_ += static_cast<std::uint64_t>(count);
    }
  }
  pending_.clear();
}

void temporary_file::read(std::uint64_t offset, std::span<std::byte> into) {
  flush();
  while (!into.empty()) {
    const ssize_t count = pread(descriptor_, into.data(), into.size(), static_cast<off_t>(offset));
    if (count == 0 || (count < 0 && errno != EINTR)) {
      throw temporary_file_error(count == 0 ? EIO : errno, directory_);
    }
    if (count > 0) {
      into = into.subspan(static_cast<std::size_t>(count));
      offset += static_cast<std::uint64_t>(count);
    }
  }
}

}  // namespace stallscope::capture
