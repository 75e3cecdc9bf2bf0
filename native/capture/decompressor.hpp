// A zstd stream: that in the compressed records of perf record -z, or a compressed file. The output
// is produced in small pieces, so that memory stays bounded for any input. One thread.
//
//   decompressor stream{expansion_limit};
//   stream.feed(record_bytes, offset);
//   while (const auto count = stream.produce(buffer)) parse(buffer, count);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

struct ZSTD_DCtx_s;

namespace stallscope::capture {

class decompressor {
 public:
  // `expansion_limit`: the largest ratio of output to input; the first 16 MiB are always allowed.
  explicit decompressor(std::uint64_t expansion_limit);

  // Starts on the bytes of a record, which must stay valid until they are consumed.
  void feed(std::span<const std::byte> input, std::uint64_t offset);
  // Fills `output` and returns the number of bytes; 0 at the end of the input. Throws
  // capture_error.
  std::size_t produce(std::span<std::byte> output);
  // Whether all output was produced and the input so far ends with a complete frame.
  bool at_frame_end() const { return at_frame_end_; }

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
  bool at_frame_end_ = false;
};

}  // namespace stallscope::capture
