// An unnamed file for stacks that cannot be read again. Appends are buffered and written in large
// pieces; reads are possible at any offset. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "capture/read_capture.hpp"

namespace stallscope::capture {

class temporary_file {
 public:
  explicit temporary_file(const read_options& options);
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  temporary_file(temporary_file&&) = delete;
  temporary_file& operator=(temporary_file&&) = delete;
  ~temporary_file();

  // Returns the offset of the bytes. Throws limit_exceeded, temporary_file_error.
  std::uint64_t append(std::span<const std::byte> bytes);
  // Fills `into` with the bytes at the offset.
  void read(std::uint64_t offset, std::span<std::byte> into);

 private:
  void open_in(const std::vector<std::string>& directories);
  void flush();

  std::uint64_t limit_bytes_;
  std::uint64_t room_bytes_ = 0;
  std::string directory_;
  int descriptor_ = -1;
  std::uint64_t written_ = 0;
  std::vector<std::byte> pending_;
};

}  // namespace stallscope::capture
