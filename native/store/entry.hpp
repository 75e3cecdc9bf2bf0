// A key and its value in one allocation: this header, the bytes of the key, the bytes of the value.
// Only the keyspace and the key index make and free entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace stallscope::store {

struct entry {
  static constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t key_bytes;
  std::uint32_t value_bytes;
  std::uint32_t touched;       // time of last use in units of 16 ms; wraps after two years
  std::uint32_t expiry_index;  // index into the expiries of the keyspace, or never

  std::string_view key() const { return {bytes(), key_bytes}; }
  std::string_view value() const { return {bytes() + key_bytes, value_bytes}; }

  static entry* make(std::string_view key, std::string_view value);
  static void free(entry* held);
  // Bytes that the allocator uses for the entry, header included.
  std::size_t allocated_bytes() const;
  // Replaces the value in place; the new value may overlap the old one. Returns false if it does
  // not fit or would waste most of the room.
  bool overwrite(std::string_view value);

 private:
  const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }
  char* bytes() { return reinterpret_cast<char*>(this + 1); }
};

}  // namespace stallscope::store
