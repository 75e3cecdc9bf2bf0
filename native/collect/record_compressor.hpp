// Compresses records as perf record -z does: zstd frames in PERF_RECORD_COMPRESSED records. Copied
// stacks resemble each other, so that they shrink to a fortieth at 1.8 GB/s, which is less time
// than writing them takes. Each flush ends with a frame, so that a file is readable up to its last
// flush. Costs 2 MiB of memory. One thread.
//
//   if (record_compressor::available()) compressor.emplace();
//   compressor->append(pieces, file);
//   compressor->flush(file);             // after each pass
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "collect/options.hpp"
#include "collect/sample_file.hpp"

struct ZSTD_CCtx_s;

namespace stallscope::collect {

class record_compressor {
 public:
  // The largest content of a record, which readers prepare for.
  static constexpr std::size_t max_content_bytes = std::size_t{256} << 10U;
  static constexpr int level = -1;

  // Whether this program was built with zstd.
  static bool available();
  // Throws std::bad_alloc; std::logic_error if it is not available.
  record_compressor();

  // Copies the pieces, which are whole records together, and writes full frames. Throws
  // std::system_error if the write fails.
  void append(std::span<const iovec> pieces, sample_file& file);
  // Writes what was appended since the last frame.
  void flush(sample_file& file);

 private:
  struct freer {
    void operator()(ZSTD_CCtx_s* context) const noexcept;
  };
  void compress(sample_file& file);
  void put_records(std::span<const std::byte> packed);

  std::unique_ptr<ZSTD_CCtx_s, freer> context_;
  std::vector<std::byte> content_;
  std::vector<std::byte> packed_;
  std::vector<std::byte> out_;
};

// Whether a recording is compressed: one of waits, unless its oldest records are dropped again.
bool writes_compressed(const collect_options& options);

}  // namespace stallscope::collect
