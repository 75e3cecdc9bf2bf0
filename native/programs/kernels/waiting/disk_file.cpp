#include "kernels/waiting/disk_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

namespace stallscope::kernels {
namespace {

constexpr mode_t owner_only = 0600;

bool is_directory(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

disk_file::disk_file(const std::string& path)
    : path_(path.empty() ? "/var/tmp" : path), block_(block_bytes, MADV_NORMAL) {
  const int kind = is_directory(path_) ? O_TMPFILE : 0;
  file_.reset(open(path_.c_str(), O_RDWR | O_CLOEXEC | O_DIRECT | kind, owner_only));
  if (!file_ && errno == EINVAL) {
    direct_ = false;
    file_.reset(open(path_.c_str(), O_RDWR | O_CLOEXEC | kind, owner_only));
  }
  if (!file_) throw std::system_error(errno, std::generic_category(), "cannot open " + path_);
  // Later writes change no metadata, and wait for the disk alone.
  do write_block();
  while (offset_ != 0);
}

void disk_file::write_block() {
  const auto bytes = block_.as<unsigned char>();
  const ssize_t written =
      pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset_));
  if (written < 0 || fdatasync(file_.get()) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot write to " + path_);
  }
  offset_ = (offset_ + block_bytes) % region_bytes;
}

}  // namespace stallscope::kernels
