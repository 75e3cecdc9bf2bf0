// One record of the log: the value of a key, the deletion of a key, or the deletion of all keys. A
// header of 40 bytes, the key, the value, padded to 8 bytes; all numbers are little-endian.
//
//   0 checksum of all following bytes, keyed   8 mark of the store   12 kind   16 sequence
//   24 expiry, Unix ms, 0: none   32 bytes of the key   36 bytes of the value
//
// Checksum and mark are keyed with a secret of the store, so that bytes that a client stored as a
// value are never mistaken for a record. Among the records of a key, the highest sequence number
// wins; a record that compaction copies keeps its number.
//
// Cost: one hash of the bytes (an eighth of a nanosecond per byte), no allocation. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "store/key_hash.hpp"

namespace stallscope::value_log {

inline constexpr std::size_t head_bytes = 40;
inline constexpr std::size_t block_bytes = 4096;  // the unit of O_DIRECT transfers
inline constexpr std::uint64_t max_record_bytes = std::uint64_t{1} << 30U;

enum class record_kind : std::uint32_t { value = 1, deleted = 2, cleared = 3 };

struct record {
  record_kind kind = record_kind::value;
  std::uint64_t sequence = 0;
  std::int64_t expires_ms = 0;  // 0: never
  std::string_view key;
  std::string_view value;
};

constexpr std::uint64_t padded(std::uint64_t bytes, std::uint64_t to) {
  return (bytes + to - 1) / to * to;
}
constexpr std::uint64_t record_bytes(std::uint64_t key_bytes, std::uint64_t value_bytes) {
  return padded(head_bytes + key_bytes + value_bytes, 8);
}

// `to` has record_bytes() bytes. The value may already be in place.
void encode(std::span<std::byte> to, const record& what, const store::hash_seed& secret);

enum class decode_status : std::uint8_t {
  whole,
  padding,     // zeros; the next record starts at a block
  incomplete,  // `bytes` bytes are needed
  damaged,
};

struct decoded {
  decode_status status;
  std::uint64_t bytes = 0;  // size of the record, if whole or incomplete
  record what;              // views into the decoded bytes, if whole
};

enum class checksum_check : std::uint8_t { verify, skip };

// `offset` is the position in the segment: padding ends with its block. Without verification only
// the header is checked.
decoded decode(std::span<const std::byte> from, std::uint64_t offset,
               const store::hash_seed& secret, checksum_check check = checksum_check::verify);

// The key of bytes that are known to be a record.
std::string_view key_of(std::span<const std::byte> record);

}  // namespace stallscope::value_log
