#include "collect/record_compressor.hpp"

#include <linux/perf_event.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>

#include "perf_events/perf_format.hpp"

#ifdef STALLSCOPE_ZSTD
#include <zstd.h>
#endif

namespace stallscope::collect {

#ifdef STALLSCOPE_ZSTD

namespace {

constexpr std::size_t max_payload_bytes = 65'000;  // a record's size has 16 bits

}  // namespace

bool record_compressor::available() { return true; }

void record_compressor::freer::operator()(ZSTD_CCtx_s* context) const noexcept {
  ZSTD_freeCCtx(context);
}

record_compressor::record_compressor()
    : context_{ZSTD_createCCtx()}, packed_(ZSTD_compressBound(max_content_bytes)) {
  if (context_ == nullptr) throw std::bad_alloc{};
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
  content_.reserve(max_content_bytes);
}

void record_compressor::append(std::span<const iovec> pieces, sample_file& file) {
  for (const auto& piece : pieces) {
    std::span content{static_cast<const std::byte*>(piece.iov_base), piece.iov_len};
    while (!content.empty()) {
      const auto part =
          content.first(std::min(content.size(), max_content_bytes - content_.size()));
      content_.insert(content_.end(), part.begin(), part.end());
      content = content.subspan(part.size());
      if (content_.size() == max_content_bytes) compress(file);
    }
  }
}

void record_compressor::flush(sample_file& file) {
  if (!content_.empty()) compress(file);
}

void record_compressor::compress(sample_file& file) {
  const auto size = ZSTD_compress2(context_.get(), packed_.data(), packed_.size(), content_.data(),
                                   content_.size());
  if (ZSTD_isError(size) != 0)
    throw std::runtime_error{std::string{"zstd cannot compress: "} + ZSTD_getErrorName(size)};
  out_.clear();
  put_records(std::span{packed_}.first(size));
  content_.clear();
  file.append(std::span<const std::byte>{out_});
}

void record_compressor::put_records(std::span<const std::byte> packed) {
  while (!packed.empty()) {
    const auto payload = packed.first(std::min(packed.size(), max_payload_bytes));
    perf_event_header header{};
    header.type = static_cast<std::uint32_t>(perf_format::user_record::compressed);
    header.size = static_cast<std::uint16_t>(sizeof header + payload.size());
    const auto bytes = std::as_bytes(std::span{&header, 1});
    out_.insert(out_.end(), bytes.begin(), bytes.end());
    out_.insert(out_.end(), payload.begin(), payload.end());
    packed = packed.subspan(payload.size());
  }
}

#else

bool record_compressor::available() { return false; }

void record_compressor::freer::operator()(ZSTD_CCtx_s*) const noexcept {}

record_compressor::record_compressor() {
  throw std::logic_error{"this program was built without zstd"};
}

void record_compressor::append(std::span<const iovec>, sample_file&) {}

void record_compressor::flush(sample_file&) {}

#endif

bool writes_compressed(const collect_options& options) {
  return options.waits && options.flight_s <= 0 && record_compressor::available();
}

}  // namespace stallscope::collect
