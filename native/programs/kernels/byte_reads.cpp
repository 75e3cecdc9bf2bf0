#include "kernels/byte_reads.hpp"

#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <numeric>
#include <system_error>

#include "base/descriptor.hpp"
#include "kernels/work.hpp"

namespace stallscope::kernels {
namespace {

constexpr std::size_t file_bytes = 4096;
constexpr std::uint64_t steps_per_byte = 50;  // of arithmetic

// Reads a small file in memory again and again, and computes with each byte. One system call reads
// one byte; cured, the whole file. The bytes and the arithmetic are the same.
class byte_reads_kernel : public kernel_base {
 public:
  explicit byte_reads_kernel(const kernel_settings& setting)
      : file_(memfd_create("byte-reads", MFD_CLOEXEC)),
        bytes_per_call_(setting.cured ? file_bytes : 1),
        readers_(setting.threads) {
    std::array<unsigned char, file_bytes> content{};
    std::iota(content.begin(), content.end(), static_cast<unsigned char>(1));
    if (!file_) throw std::system_error(errno, std::generic_category(), "memfd_create");
    if (pwrite(file_.get(), content.data(), content.size(), 0) != ssize_t{file_bytes}) {
      throw std::system_error(errno, std::generic_category(), "write to a file in memory");
    }
  }

  std::uint64_t run(unsigned thread, std::uint64_t iterations, const std::atomic<bool>&) override {
    byte_reader& reader = readers_[thread];
    for (std::uint64_t i = 0; i < iterations; ++i) {
      const std::size_t place = reader.place++ % file_bytes;
      if (place % bytes_per_call_ == 0) read_bytes(reader, place);
      const unsigned char byte = reader.bytes[place % bytes_per_call_];
      reader.sum += byte;
      reader.value = hot_arithmetic(steps_per_byte, reader.value + byte);
    }
    return iterations;
  }
  // Returns the sum of all bytes.
  [[nodiscard]] std::uint64_t result() const override {
    std::uint64_t sum = 0;
    for (const auto& reader : readers_) sum += reader.sum;
    return sum;
  }
  [[nodiscard]] std::vector<kernel_parameter> parameters() const override {
    return {{"bytes_per_call", std::uint64_t{bytes_per_call_}}};
  }

 private:
  struct alignas(128) byte_reader {
    std::array<unsigned char, file_bytes> bytes{};
    std::size_t place = 0;
    std::uint64_t sum = 0;
    std::uint64_t value = 1;
  };

  void read_bytes(byte_reader& reader, std::size_t place) const {
    const ssize_t done =
        pread(file_.get(), reader.bytes.data(), bytes_per_call_, static_cast<off_t>(place));
    if (done != static_cast<ssize_t>(bytes_per_call_)) {
      throw std::system_error(errno, std::generic_category(), "read from a file in memory");
    }
  }

  descriptor file_;
  std::size_t bytes_per_call_;
  std::vector<byte_reader> readers_;
};

}  // namespace

std::unique_ptr<kernel_base> make_byte_reads(const kernel_settings& setting) {
  return std::make_unique<byte_reads_kernel>(setting);
}

}  // namespace stallscope::kernels
