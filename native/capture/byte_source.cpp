#include "capture/byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "capture/error.hpp"

namespace stallscope::capture {
namespace {

std::system_error failed(const char* call, const std::string& path) {
  return {errno, std::generic_category(), std::string(call) + " " + path};
}

}  // namespace

std::size_t memory_source::read_at(std::uint64_t offset, std::span<std::byte> into) {
  if (offset >= bytes_.size()) {
    return 0;
  }
  const auto rest = bytes_.subspan(static_cast<std::size_t>(offset));
  const std::size_t count = std::min(rest.size(), into.size());
  std::copy_n(rest.begin(), count, into.begin());
  return count;
}

file_source::file_source(const std::string& path) : path_(path) {
  descriptor_ = path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                            : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor_ < 0) {
    throw failed("open", path_);
  }
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) {
    const int reason = errno;
    close(descriptor_);
    errno = reason;
    throw failed("fstat", path_);
  }
  if (S_ISDIR(status.st_mode)) {
    close(descriptor_);
    throw capture_error(
        "a directory, as perf record --threads writes it; expected one file of perf.data", 0);
  }
  seekable_ = S_ISREG(status.st_mode) || lseek(descriptor_, 0, SEEK_CUR) >= 0;
  if (S_ISREG(status.st_mode)) {
    size_bytes_ = static_cast<std::uint64_t>(status.st_size);
  }
}

file_source::~file_source() { close(descriptor_); }

std::size_t file_source::read_at(std::uint64_t offset, std::span<std::byte> into) {
  if (offset > static_cast<std::uint64_t>(INT64_MAX)) {
    return 0;
  }
  if (!seekable_) {
    return read_forward(offset, into);
  }
  for (;;) {
    const ssize_t count = pread(descriptor_, into.data(), into.size(), static_cast<off_t>(offset));
    if (count >= 0) {
      return static_cast<std::size_t>(count);
    }
    if (errno != EINTR) {
      throw failed("pread", path_);
    }
  }
}

std::size_t file_source::read_forward(std::uint64_t offset, std::span<std::byte> into) {
  if (offset < position_) {
    throw capture_error("this capture must be read from a file, not from a pipe", offset);
  }
  std::array<std::byte, 65'536> skipped;
  for (;;) {
    const std::uint64_t gap = offset - position_;
    const std::span<std::byte> target =
        gap == 0 ? into : std::span(skipped).first(std::min<std::uint64_t>(gap, skipped.size()));
    const ssize_t count = read(descriptor_, target.data(), target.size());
    if (count < 0 && errno != EINTR) {
      throw failed("read", path_);
    }
    if (count >= 0) {
      position_ += static_cast<std::uint64_t>(count);
      if (gap == 0 || count == 0) {
        return static_cast<std::size_t>(count);
      }
    }
  }
}

}  // namespace stallscope::capture
