#include "value_log/record.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace stallscope::value_log {
namespace {

static_assert(std::endian::native == std::endian::little);

struct head {
  std::uint64_t checksum;
  std::uint32_t mark;
  std::uint32_t kind;
  std::uint64_t sequence;
  std::int64_t expires_ms;
  std::uint32_t key_bytes;
  std::uint32_t value_bytes;
};
static_assert(sizeof(head) == head_bytes);

std::uint32_t mark_of(const store::hash_seed& secret) {
  return static_cast<std::uint32_t>(secret[1]) | 1U;  // never zero, the mark of padding
}

std::uint64_t checksum_of(std::span<const std::byte> bytes, const store::hash_seed& secret) {
  const auto counted = bytes.subspan(sizeof(head::checksum));
  return store::key_hash(secret, {reinterpret_cast<const char*>(counted.data()), counted.size()});
}

bool all_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

bool is_valid(const head& header, const store::hash_seed& secret) {
  const bool is_valid_kind = header.kind >= static_cast<std::uint32_t>(record_kind::value) &&
                             header.kind <= static_cast<std::uint32_t>(record_kind::cleared);
  return is_valid_kind && header.mark == mark_of(secret) &&
         record_bytes(header.key_bytes, header.value_bytes) <= max_record_bytes;
}

}  // namespace

void encode(std::span<std::byte> to, const record& what, const store::hash_seed& secret) {
  const head made{.checksum = 0,
                  .mark = mark_of(secret),
                  .kind = static_cast<std::uint32_t>(what.kind),
                  .sequence = what.sequence,
                  .expires_ms = what.expires_ms,
                  .key_bytes = static_cast<std::uint32_t>(what.key.size()),
                  .value_bytes = static_cast<std::uint32_t>(what.value.size())};
  std::byte* at = to.data();
  std::memcpy(at, &made, sizeof made);
  at += sizeof made;
  if (!what.key.empty()) std::memcpy(at, what.key.data(), what.key.size());
  at += what.key.size();
  if (!what.value.empty()) std::memmove(at, what.value.data(), what.value.size());
  const std::size_t used = head_bytes + what.key.size() + what.value.size();
  std::ranges::fill(to.subspan(used), std::byte{0});
  const std::uint64_t checksum = checksum_of(to.first(used), secret);
  std::memcpy(to.data(), &checksum, sizeof checksum);
}

decoded decode(std::span<const std::byte> from, std::uint64_t offset,
               const store::hash_seed& secret, checksum_check check) {
  head header{};
  const std::uint64_t left_of_block = block_bytes - offset % block_bytes;
  const auto looked_at = std::min({from.size(), sizeof header, std::size_t{left_of_block}});
  if (all_zero(from.first(looked_at))) return {decode_status::padding, 0, {}};
  if (from.size() < sizeof header) {
    return {decode_status::incomplete, head_bytes, {}};
  }
  std::memcpy(&header, from.data(), sizeof header);
  if (!is_valid(header, secret)) return {decode_status::damaged, 0, {}};
  const std::uint64_t bytes = record_bytes(header.key_bytes, header.value_bytes);
  if (bytes > from.size()) return {decode_status::incomplete, bytes, {}};
  const std::size_t used = head_bytes + header.key_bytes + std::size_t{header.value_bytes};
  if (check == checksum_check::verify && header.checksum != checksum_of(from.first(used), secret)) {
    return {decode_status::damaged, 0, {}};
  }
  const char* key = reinterpret_cast<const char*>(from.data()) + head_bytes;
  return {decode_status::whole,
          bytes,
          {.kind = static_cast<record_kind>(header.kind),
           .sequence = header.sequence,
           .expires_ms = header.expires_ms,
           .key = {key, header.key_bytes},
           .value = {key + header.key_bytes, header.value_bytes}}};
}

std::string_view key_of(std::span<const std::byte> record) {
  head header{};
  std::memcpy(&header, record.data(), sizeof header);
  return {reinterpret_cast<const char*>(record.data()) + head_bytes, header.key_bytes};
}

}  // namespace stallscope::value_log
