// A file on a disk, written past the page cache where the file system allows it. A write of a block
// returns after the disk has stored it. One thread at a time.
//
//   disk_file file("/var/tmp");
//   file.write_block();
#pragma once

#include <cstddef>
#include <string>

#include "base/descriptor.hpp"
#include "kernels/private_memory.hpp"

namespace stallscope::kernels {

class disk_file {
 public:
  // `path` is a directory, in which a file without a name is made, or a file or device that is
  // overwritten; empty: /var/tmp. Throws std::system_error.
  explicit disk_file(const std::string& path);

  // Writes the next 2 MiB of the file and waits until they are stored. Throws std::system_error.
  void write_block();

  [[nodiscard]] int fd() const noexcept { return file_.get(); }
  [[nodiscard]] static constexpr std::size_t size_bytes() noexcept { return region_bytes; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] bool direct() const noexcept { return direct_; }

 private:
  static constexpr std::size_t block_bytes = std::size_t{2} << 20U;
  static constexpr std::size_t region_bytes = 4 * block_bytes;

  std::string path_;
  bool direct_ = true;
  descriptor file_;
  private_memory block_;
  std::size_t offset_ = 0;
};

}  // namespace stallscope::kernels
