// The error of the capture reader: a message and the offset in the file.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace stallscope::capture {

class capture_error : public std::runtime_error {
 public:
  capture_error(const std::string& message, std::uint64_t offset)
      : std::runtime_error(message), offset_(offset) {}
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }

 private:
  std::uint64_t offset_;
};

}  // namespace stallscope::capture
