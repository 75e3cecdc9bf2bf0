// One key and its value in one allocation: this head, the key's bytes, the value's. Made and freed
// by the keyspace alone.
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
  std::uint32_t touched;       // when last used, in 16 ms; wraps after two years
  std::uint32_t expiry_index;  // into the keyspace's list of expiries, or never

  std::string_view key() const { return {bytes(), key_bytes}; }
  std::string_view value() const { return {bytes() + key_bytes, value_bytes}; }

  static entry* make(std::string_view key, std::string_view value);
  static void free(entry* held);
  // What the allocator took for it, its own head included.
  std::size_t allocated_bytes() const;
  // Writes another value over the present one, which may overlap it; false where it does not fit,
  // or where most of the room would be wasted.
  bool overwrite(std::string_view value);

 private:
  const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }
  char* bytes() { return reinterpret_cast<char*>(this + 1); }
};

}  // namespace stallscope::store
