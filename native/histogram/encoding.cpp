#include "histogram/encoding.hpp"

#include <zlib.h>

#include <array>
#include <bit>
#include <stdexcept>
#include <string_view>

namespace stallscope::histogram {
namespace {

// 0x10 in the low byte marks counters of variable length.
constexpr std::uint32_t plain_cookie = 0x1c849303U | 0x10U;
constexpr std::uint32_t compressed_cookie = 0x1c849304U | 0x10U;
constexpr unsigned max_number_bytes = 9;  // the ninth byte holds eight bits
constexpr std::uint64_t lowest_value = 1;

template <typename Number>
void append_big_endian(std::string& out, Number number) {
  for (unsigned shift = 8 * sizeof(Number); shift != 0;) {
    shift -= 8;
    out.push_back(static_cast<char>(static_cast<std::uint8_t>(number >> shift)));
  }
}

// A signed number in groups of seven bits, lowest group first; the lowest bit is the sign.
void append_number(std::string& out, std::int64_t number) {
  auto left =
      (static_cast<std::uint64_t>(number) << 1U) ^ static_cast<std::uint64_t>(number >> 63U);
  for (unsigned i = 1; left >= 0x80 && i < max_number_bytes; ++i) {
    out.push_back(static_cast<char>(static_cast<std::uint8_t>(left | 0x80U)));
    left >>= 7U;
  }
  out.push_back(static_cast<char>(static_cast<std::uint8_t>(left)));
}

std::string encoded_counts(std::span<const std::uint64_t> counts) {
  std::string out;
  std::int64_t zeros = 0;
  for (const std::uint64_t count : counts) {
    if (count == 0) {
      ++zeros;
      continue;
    }
    // A single zero is written as 0, a run of n zeros as -n. Trailing zeros are omitted.
    if (zeros != 0) append_number(out, zeros == 1 ? 0 : -zeros);
    zeros = 0;
    append_number(out, static_cast<std::int64_t>(count));
  }
  return out;
}

std::string base64(std::string_view bytes) {
  static constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view three = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      bits = bits << 8U | (j < three.size() ? static_cast<std::uint8_t>(three[j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      out.push_back(j <= three.size() ? letters[bits >> (18 - 6 * j) & 0x3fU] : '=');
    }
  }
  return out;
}

}  // namespace

std::string encode_plain(const histogram& values) {
  const std::string counts = encoded_counts(values.counts());
  std::string out;
  out.reserve(40 + counts.size());
  append_big_endian(out, plain_cookie);
  append_big_endian(out, static_cast<std::uint32_t>(counts.size()));
  append_big_endian(out, std::uint32_t{0});  // offset of a shifted histogram
  append_big_endian(out, std::uint32_t{values.significant_digits()});
  append_big_endian(out, lowest_value);
  append_big_endian(out, values.highest());
  append_big_endian(out,
                    std::bit_cast<std::uint64_t>(1.0));  // ratio between integer and double values
  return out + counts;
}

std::string encode_base64(const histogram& values) {
  const std::string plain = encode_plain(values);
  uLongf size = compressBound(plain.size());
  std::string packed(size, '\0');
  if (compress(reinterpret_cast<Bytef*>(packed.data()), &size,
               reinterpret_cast<const Bytef*>(plain.data()), plain.size()) != Z_OK) {
    throw std::runtime_error("zlib cannot compress a histogram: out of memory");
  }
  packed.resize(size);
  std::string out;
  append_big_endian(out, compressed_cookie);
  append_big_endian(out, static_cast<std::uint32_t>(packed.size()));
  return base64(out + packed);
}

}  // namespace stallscope::histogram
