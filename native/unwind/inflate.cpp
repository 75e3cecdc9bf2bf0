#include "unwind/inflate.hpp"

#ifdef STALLSCOPE_WITH_ZLIB
#include <zlib.h>

#include <cstring>
#endif

namespace stallscope::unwind {

#ifdef STALLSCOPE_WITH_ZLIB

std::optional<section_bytes> inflate_section(std::span<const std::byte> compressed,
                                             std::uint64_t max_bytes) {
  Elf64_Chdr header{};
  if (compressed.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, compressed.data(), sizeof header);
  const auto packed = compressed.subspan(sizeof header);
  // zlib compresses by a factor of about 1000 at most. A larger size is invalid and would only cost
  // memory.
  if (header.ch_type != ELFCOMPRESS_ZLIB || header.ch_size == 0 || header.ch_size > max_bytes ||
      header.ch_size / 1100 > packed.size()) {
    return std::nullopt;
  }
  const auto size = static_cast<std::size_t>(header.ch_size);
  section_bytes result;
  result.storage = std::make_unique_for_overwrite<std::byte[]>(size);
  uLongf written = size;
  if (uncompress(reinterpret_cast<Bytef*>(result.storage.get()), &written,
                 reinterpret_cast<const Bytef*>(packed.data()), packed.size()) != Z_OK ||
      written != size) {
    return std::nullopt;
  }
  result.bytes = {result.storage.get(), size};
  return result;
}

#else

std::optional<section_bytes> inflate_section(std::span<const std::byte> /*compressed*/,
                                             std::uint64_t /*max_bytes*/) {
  return std::nullopt;
}

#endif

}  // namespace stallscope::unwind
