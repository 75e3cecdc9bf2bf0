// Maps each key to its newest record. Cost per key: 16 bytes in the table and one allocation of 56
// bytes plus the key. Cost per lookup: a hash and two cache misses.
//
// A deleted key stays in the index while older records of it are on the disk: its deletion record
// must then stay too, or a restart after a crash would bring back the older record.
//
// Thread: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "store/entry_table.hpp"
#include "store/key_hash.hpp"
#include "value_log/record.hpp"

namespace stallscope::value_log {

struct location {
  static constexpr std::uint32_t no_value = std::numeric_limits<std::uint32_t>::max();

  std::uint64_t sequence = 0;
  std::int64_t expires_ms = 0;  // 0: never
  std::uint32_t segment = 0;
  std::uint32_t offset = 0;
  std::uint32_t value_bytes = no_value;  // no_value: the key is deleted
  std::uint32_t records = 1;       // number of records of this key on the disk, including this one,
  std::uint64_t counted_from = 0;  // that have this sequence number or a higher one

  [[nodiscard]] bool deleted() const { return value_bytes == no_value; }
  [[nodiscard]] bool expired(std::int64_t now_ms) const {
    return expires_ms != 0 && expires_ms <= now_ms;
  }
  [[nodiscard]] bool same_record(const location& other) const {
    return segment == other.segment && offset == other.offset;
  }
  [[nodiscard]] std::uint64_t bytes(std::size_t key_bytes) const {
    return record_bytes(key_bytes, deleted() ? 0 : value_bytes);
  }
};

class key_index {
 public:
  // The memory that the index needs to add a key.
  class room {
   public:
    room(room&& other) noexcept;
    room& operator=(room&& other) noexcept {
      std::swap(index_, other.index_);
      std::swap(entry_, other.entry_);
      return *this;
    }
    room(const room&) = delete;
    room& operator=(const room&) = delete;
    ~room();

   private:
    friend class key_index;
    room(key_index& index, std::string_view key);

    key_index* index_;
    store::entry* entry_;
  };

  key_index();
  key_index(const key_index&) = delete;
  key_index& operator=(const key_index&) = delete;
  key_index(key_index&&) = delete;
  key_index& operator=(key_index&&) = delete;
  ~key_index();

  [[nodiscard]] std::optional<location> find(std::string_view key);
  // Throws std::bad_alloc without effect.
  void set(std::string_view key, const location& where);
  // Throws std::bad_alloc without effect. The index outlives the room.
  [[nodiscard]] room make_room(std::string_view key) { return {*this, key}; }
  void set(std::string_view key, const location& where, room reserved) noexcept;
  // Changes a key that is in the index.
  void update(std::string_view key, const location& where) noexcept;
  void erase(std::string_view key) noexcept;
  void erase_if(const std::function<bool(std::string_view, const location&)>& unwanted);
  void clear() noexcept;

  [[nodiscard]] std::size_t size() const { return table_.size() - deleted_; }
  [[nodiscard]] std::size_t memory_bytes() const { return entry_bytes_ + table_.memory_bytes(); }
  [[nodiscard]] std::size_t growth_bytes() const { return table_.growth_bytes(); }

 private:
  [[nodiscard]] std::uint64_t hash_of(std::string_view key) const {
    return store::key_hash(seed_, key);
  }
  static void write_location(store::entry& to, const location& where) noexcept;
  void replace(store::entry& held, const location& where) noexcept;
  void remove(store::entry_table::slot* at) noexcept;

  store::hash_seed seed_;
  store::entry_table table_;
  std::size_t entry_bytes_ = 0;
  std::size_t deleted_ = 0;
};

}  // namespace stallscope::value_log
