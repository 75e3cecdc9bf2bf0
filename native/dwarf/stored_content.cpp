#include "dwarf/stored_content.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <system_error>
#include <vector>

#include "dwarf/malformed.hpp"

namespace stallscope::dwarf {
namespace {

constexpr std::size_t block_bytes = std::size_t{16} << 10U;
constexpr std::size_t input_bytes = std::size_t{256} << 10U;
// zlib writes its output in parts of this size: the size is an int in its interface.
constexpr std::size_t output_bytes = std::size_t{1} << 20U;
constexpr std::uint64_t max_size_bytes = std::uint64_t{16} << 30U;

// Address space whose pages take memory when they are written.
class reserved_memory {
 public:
  explicit reserved_memory(std::size_t size) : size_{size} {
    void* address = ::mmap(nullptr, std::max<std::size_t>(size, 1), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address == MAP_FAILED) throw std::bad_alloc();
    start_ = static_cast<std::byte*>(address);
  }
  reserved_memory(const reserved_memory&) = delete;
  reserved_memory& operator=(const reserved_memory&) = delete;
  ~reserved_memory() { ::munmap(start_, std::max<std::size_t>(size_, 1)); }

  [[nodiscard]] std::span<std::byte> all() const noexcept { return {start_, size_}; }

 private:
  std::byte* start_ = nullptr;
  std::size_t size_;
};

// Reads until `into` is full. Throws malformed if the file ends before.
void read_exactly(int descriptor, std::uint64_t offset, std::span<std::byte> into) {
  while (!into.empty()) {
    const ssize_t count = ::pread(descriptor, into.data(), into.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw std::system_error(errno, std::generic_category(), "pread of a section");
    if (count == 0) throw malformed("a section outside the file");
    offset += static_cast<std::uint64_t>(count);
    into = into.subspan(static_cast<std::size_t>(count));
  }
}

class plain_content : public section_content {
 public:
  plain_content(int descriptor, const section_place& place)
      : descriptor_{descriptor},
        offset_{place.offset},
        memory_{static_cast<std::size_t>(place.size_bytes)},
        loaded_((memory_.all().size() + block_bytes - 1) / block_bytes) {}

  [[nodiscard]] std::span<const std::byte> all() const noexcept override { return memory_.all(); }

  void load(std::size_t begin, std::size_t end) override {
    const std::size_t last = (end + block_bytes - 1) / block_bytes;
    for (std::size_t block = begin / block_bytes; block < last; ++block) {
      if (loaded_[block]) continue;
      std::size_t after = block + 1;
      while (after < last && !loaded_[after]) ++after;
      const std::size_t start = block * block_bytes;
      const std::size_t stop = std::min(after * block_bytes, memory_.all().size());
      read_exactly(descriptor_, offset_ + start, memory_.all().subspan(start, stop - start));
      std::fill(loaded_.begin() + static_cast<std::ptrdiff_t>(block),
                loaded_.begin() + static_cast<std::ptrdiff_t>(after), true);
      block = after;
    }
  }

 private:
  int descriptor_;
  std::uint64_t offset_;
  reserved_memory memory_;
  std::vector<bool> loaded_;  // by block
};

// The input of a decompressor, in parts.
class stored_stream {
 public:
  stored_stream(int descriptor, const section_place& place)
      : descriptor_{descriptor}, offset_{place.offset}, left_{place.stored_bytes} {}

  // The next part, which stays valid until the next call. Throws malformed at the end.
  std::span<std::byte> next() {
    if (left_ == 0) throw malformed("a compressed section that ends early");
    buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(input_bytes, left_)));
    read_exactly(descriptor_, offset_, buffer_);
    offset_ += buffer_.size();
    left_ -= buffer_.size();
    return buffer_;
  }

 private:
  int descriptor_;
  std::uint64_t offset_;
  std::uint64_t left_;
  std::vector<std::byte> buffer_;
};

class zlib_decoder {
 public:
  zlib_decoder() {
    if (inflateInit(&stream_) != Z_OK) throw std::bad_alloc();
  }
  zlib_decoder(const zlib_decoder&) = delete;
  zlib_decoder& operator=(const zlib_decoder&) = delete;
  ~zlib_decoder() { inflateEnd(&stream_); }

  // Returns how many bytes of `into` were written, at least 1.
  std::size_t decode(stored_stream& input, std::span<std::byte> into) {
    into = into.first(std::min(into.size(), output_bytes));
    stream_.next_out = reinterpret_cast<Bytef*>(into.data());
    stream_.avail_out = static_cast<uInt>(into.size());
    while (stream_.avail_out == into.size()) {
      if (ended_) throw malformed("a compressed section that ends early");
      if (stream_.avail_in == 0) {
        const auto part = input.next();
        stream_.next_in = reinterpret_cast<Bytef*>(part.data());
        stream_.avail_in = static_cast<uInt>(part.size());
      }
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      if (status != Z_OK && status != Z_STREAM_END) throw malformed("a damaged compressed section");
      ended_ = status == Z_STREAM_END;
    }
    return into.size() - stream_.avail_out;
  }

 private:
  z_stream stream_{};
  bool ended_ = false;
};

class zstd_decoder {
 public:
  zstd_decoder() : stream_{ZSTD_createDStream()} {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  zstd_decoder(const zstd_decoder&) = delete;
  zstd_decoder& operator=(const zstd_decoder&) = delete;
  ~zstd_decoder() { ZSTD_freeDStream(stream_); }

  std::size_t decode(stored_stream& input, std::span<std::byte> into) {
    ZSTD_outBuffer output{into.data(), std::min(into.size(), output_bytes), 0};
    while (output.pos == 0) {
      if (part_.pos == part_.size && !full_) {
        const auto part = input.next();
        part_ = {part.data(), part.size(), 0};
      }
      if (ZSTD_isError(ZSTD_decompressStream(stream_, &output, &part_)) != 0) {
        throw malformed("a damaged compressed section");
      }
      full_ = output.pos == output.size;  // it may hold more output without more input
    }
    return output.pos;
  }

 private:
  ZSTD_DStream* stream_;
  ZSTD_inBuffer part_{nullptr, 0, 0};
  bool full_ = false;
};

template <typename Decoder>
class compressed_content : public section_content {
 public:
  compressed_content(int descriptor, const section_place& place)
      : input_{descriptor, place}, memory_{static_cast<std::size_t>(place.size_bytes)} {}

  [[nodiscard]] std::span<const std::byte> all() const noexcept override { return memory_.all(); }

  void load(std::size_t /*begin*/, std::size_t end) override {
    if (failed_ && size_ < end) throw malformed("a damaged compressed section");
    failed_ = true;  // unless the following ends without an exception
    while (size_ < end) size_ += decoder_.decode(input_, memory_.all().subspan(size_));
    failed_ = false;
  }

 private:
  stored_stream input_;
  Decoder decoder_;
  reserved_memory memory_;
  std::size_t size_ = 0;  // decompressed so far
  bool failed_ = false;
};

}  // namespace

std::unique_ptr<section_content> stored_content(int descriptor, const section_place& place) {
  if (place.size_bytes > max_size_bytes || place.offset > INT64_MAX - max_size_bytes ||
      place.stored_bytes > max_size_bytes) {
    throw malformed("a section of an impossible size");
  }
  switch (place.format) {
    case compression::zlib:
      return std::make_unique<compressed_content<zlib_decoder>>(descriptor, place);
    case compression::zstd:
      return std::make_unique<compressed_content<zstd_decoder>>(descriptor, place);
    case compression::none:
      break;
  }
  if (place.stored_bytes != place.size_bytes) throw malformed("a section of two sizes");
  return std::make_unique<plain_content>(descriptor, place);
}

}  // namespace stallscope::dwarf
