// The source of a capture's bytes: memory, a file or a pipe. Files are read with pread and not
// mapped, so that a file that shrinks gives a short read and no SIGBUS. One thread at a time.
//
//   file_source source{"perf.data"};
//   const auto count = source.read_at(0, buffer);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace stallscope::capture {

class byte_source {
 public:
  byte_source() = default;
  byte_source(const byte_source&) = delete;
  byte_source& operator=(const byte_source&) = delete;
  byte_source(byte_source&&) = delete;
  byte_source& operator=(byte_source&&) = delete;
  virtual ~byte_source() = default;

  // Copies at most into.size() bytes from `offset`; 0 only at the end.
  virtual std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) = 0;
  // The total size, if it is known.
  [[nodiscard]] virtual std::optional<std::uint64_t> size_bytes() const = 0;
  // Returns whether bytes can be read again. False for a pipe.
  [[nodiscard]] virtual bool keeps_bytes() const = 0;
};

class memory_source final : public byte_source {
 public:
  explicit memory_source(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) override;
  [[nodiscard]] std::optional<std::uint64_t> size_bytes() const override { return bytes_.size(); }
  [[nodiscard]] bool keeps_bytes() const override { return true; }

 private:
  std::span<const std::byte> bytes_;
};

// A file, or a pipe that is read forward only. "-" is standard input. Throws std::system_error if
// it cannot be opened or read, capture_error if it is a directory.
class file_source final : public byte_source {
 public:
  explicit file_source(const std::string& path);
  file_source(const file_source&) = delete;
  file_source& operator=(const file_source&) = delete;
  file_source(file_source&&) = delete;
  file_source& operator=(file_source&&) = delete;
  ~file_source() override;
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) override;
  [[nodiscard]] std::optional<std::uint64_t> size_bytes() const override { return size_bytes_; }
  [[nodiscard]] bool keeps_bytes() const override { return seekable_; }

 private:
  std::size_t read_forward(std::uint64_t offset, std::span<std::byte> into);

  std::string path_;
  int descriptor_ = -1;
  bool seekable_ = true;
  std::uint64_t position_ = 0;  // of a pipe
  std::optional<std::uint64_t> size_bytes_;
};

}  // namespace stallscope::capture
