// The zstd stream that perf record -z spreads over compressed records. The output is taken in small
// pieces, so that memory stays bounded whatever the input expands to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

struct ZSTD_DCtx_s;

namespace stallscope::capture {

class decompressor {
 public:
  // `expansion_limit`: the output may be so many times the input (and 16 MiB).
  explicit decompressor(std::uint64_t expansion_limit);

  // Starts on the bytes of one record, which must stand until they are used up.
  void feed(std::span<const std::byte> input, std::uint64_t offset);
  // Writes what fits into `output`; 0 when the input is used up. Throws capture_error.
  std::size_t produce(std::span<std::byte> output);

 private:
  struct freer {
    void operator()(ZSTD_DCtx_s* context) const noexcept;
  };
  std::unique_ptr<ZSTD_DCtx_s, freer> context_;
  std::span<const std::byte> input_;
  std::uint64_t offset_ = 0;
  std::uint64_t consumed_bytes_ = 0;
  std::uint64_t produced_bytes_ = 0;
  std::uint64_t expansion_limit_;
  bool output_was_full_ = false;
};

}  // namespace stallscope::capture
