#include "capture/decompressor.hpp"

#include <zstd.h>

#include <new>
#include <string>

#include "capture/error.hpp"

namespace stallscope::capture {
namespace {

constexpr std::uint64_t free_expansion_bytes = std::uint64_t{16} << 20U;

}  // namespace

void decompressor::freer::operator()(ZSTD_DCtx_s* context) const noexcept {
  ZSTD_freeDCtx(context);
}

decompressor::decompressor(std::uint64_t expansion_limit) : expansion_limit_(expansion_limit) {}

void decompressor::feed(std::span<const std::byte> input, std::uint64_t offset) {
  if (context_ == nullptr) {
    context_.reset(ZSTD_createDCtx());
  }
  if (context_ == nullptr) {
    throw std::bad_alloc();
  }
  input_ = input;
  offset_ = offset;
}

std::size_t decompressor::produce(std::span<std::byte> output) {
  ZSTD_outBuffer out{output.data(), output.size(), 0};
  ZSTD_inBuffer in{input_.data(), input_.size(), 0};
  while (out.pos == 0 && (in.pos < in.size || output_was_full_)) {
    const std::size_t before = in.pos;
    const std::size_t result = ZSTD_decompressStream(context_.get(), &out, &in);
    if (ZSTD_isError(result) != 0) {
      throw capture_error(std::string("compressed record: zstd says ") + ZSTD_getErrorName(result),
                          offset_);
    }
    output_was_full_ = out.pos == out.size;
    at_frame_end_ = result == 0;
    if (in.pos == before && out.pos == 0) {
      break;
    }
  }
  input_ = input_.subspan(in.pos);
  consumed_bytes_ += in.pos;
  produced_bytes_ += out.pos;
  if (produced_bytes_ > free_expansion_bytes &&
      (produced_bytes_ - free_expansion_bytes) / expansion_limit_ > consumed_bytes_) {
    throw capture_error("compressed records expand more than " + std::to_string(expansion_limit_) +
                            "-fold, which no recording does",
                        offset_);
  }
  return out.pos;
}

}  // namespace stallscope::capture
