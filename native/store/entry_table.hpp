// A hash table of entries with open addressing and linear probing, at most three quarters full. It
// stores whole hashes, so that growing does not read keys.
//
// Resizing is incremental: a second table takes over, and every change moves a few slots from the
// first. This bounds the longest step. Until all slots are moved, a miss probes both tables.
// Erasing moves the following slots back, so there are no tombstones.
//
// Thread: one. The table does not own its entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "store/entry.hpp"

namespace stallscope::store {

class entry_table {
 public:
  struct slot {
    std::uint64_t hash;
    entry* held;  // null if the slot is empty
  };

  std::size_t size() const { return current_.used + previous_.used; }
  std::size_t memory_bytes() const {
    return (current_.capacity() + previous_.capacity()) * sizeof(slot);
  }

  // Returns null if no entry has this key. The slot is valid until the table changes.
  slot* find(std::string_view key, std::uint64_t hash) {
    if (slot* match = current_.find(key, hash); match != nullptr) return match;
    return previous_.used == 0 ? nullptr : previous_.find(key, hash);
  }
  // Prefetch the cache lines that find() will read: the slot, and the entry of a filled slot.
  // During a resize they may fetch the wrong line, which costs only time.
  void prefetch_slot(std::uint64_t hash) const { current_.prefetch_slot(hash); }
  void prefetch_entry(std::uint64_t hash) const { current_.prefetch_entry(hash); }
  // The key must not be in the table.
  void insert(entry* held, std::uint64_t hash);
  // `at` comes from find().
  // Frees memory only if that needs no more of it.
  void erase(slot* at) noexcept;
  void clear() noexcept;
  // Allocates what one insert_reserved() needs, in addition to earlier reservations. Throws
  // std::bad_alloc without effect.
  void reserve();
  void drop_reservation() noexcept { --reserved_; }
  void insert_reserved(entry* held, std::uint64_t hash) noexcept {
    --reserved_;
    insert(held, hash);
  }

  // The first entry at or after a random position, or null if the table is empty.
  entry* entry_near(std::uint64_t place) const;
  // Bytes that one more insert() would allocate, in addition to memory_bytes().
  std::size_t growth_bytes() const;

  // Visits all entries in no particular order. `visit` must not change the table.
  template <class visitor>
  void for_each(visitor&& visit) const {
    for (const part* of : {&current_, &previous_}) {
      for (std::size_t at = 0; at < of->capacity(); ++at) {
        if (of->slots[at].held != nullptr) visit(of->slots[at].held);
      }
    }
  }

 private:
  struct freer {
    void operator()(slot* slots) const;
  };

  struct part {
    std::unique_ptr<slot[], freer> slots;
    std::size_t mask = 0;  // capacity - 1
    std::size_t used = 0;

    std::size_t capacity() const { return slots ? mask + 1 : 0; }
    slot* find(std::string_view key, std::uint64_t hash) const {
      if (!slots) return nullptr;
      for (std::size_t at = hash & mask; slots[at].held != nullptr; at = (at + 1) & mask) {
        if (slots[at].hash == hash && slots[at].held->key() == key) return &slots[at];
      }
      return nullptr;
    }
    void prefetch_slot(std::uint64_t hash) const {
      if (slots) __builtin_prefetch(&slots[hash & mask]);
    }
    void prefetch_entry(std::uint64_t hash) const {
      if (slots && slots[hash & mask].hash == hash) __builtin_prefetch(slots[hash & mask].held);
    }
    void insert(entry* held, std::uint64_t hash);
    void erase(std::size_t at);
    std::size_t limit() const { return capacity() / 4 * 3; }
    bool full() const { return used >= limit(); }
    bool owns(const slot* at) const { return slots && at >= &slots[0] && at <= &slots[mask]; }
  };

  static part make_part(std::size_t capacity);
  void resize(std::size_t capacity);
  void continue_moving();

  std::size_t reserved_ = 0;  // insertions that must not allocate
  part current_;
  part previous_;              // the table being emptied, one run of filled slots at a time
  std::size_t move_next_ = 0;  // in previous_: slots from here on may be filled,
  std::size_t moved_ = 0;      // except for this many slots before it
};

}  // namespace stallscope::store
