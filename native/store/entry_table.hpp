// A hash table of entries with open addressing and linear probing, at most three quarters full. It
// keeps whole hashes, so that growing does not look at keys. It grows and shrinks by a second table
// to which every change moves some slots of the first: the longest step is bounded, and until all
// are moved a look-up that misses probes both. Deleting moves followers back: no tombstones.
// One thread; owns no entries.
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
    entry* held;  // null: empty
  };

  std::size_t size() const { return current_.used + previous_.used; }
  std::size_t memory_bytes() const {
    return (current_.capacity() + previous_.capacity()) * sizeof(slot);
  }

  // Null where no entry has this key. The slot holds until the table is changed.
  slot* find(std::string_view key, std::uint64_t hash) {
    if (slot* found = current_.find(key, hash); found != nullptr) return found;
    return previous_.used == 0 ? nullptr : previous_.find(key, hash);
  }
  // Begin to fetch into the caches what find() will look at: the slot, and the entry of a slot that
  // is there already. While the table moves they may miss, and nothing is lost but the time.
  void fetch_slot(std::uint64_t hash) const { current_.fetch_slot(hash); }
  void fetch_entry(std::uint64_t hash) const { current_.fetch_entry(hash); }
  // The key must not be there yet.
  void insert(entry* held, std::uint64_t hash);
  // `at` was given by find().
  void erase(slot* at);
  void clear();

  // An entry at or after a place that the caller drew at random; null where the table is empty.
  entry* near(std::uint64_t place) const;
  // What one more insert() would allocate, beside what is held.
  std::size_t growth_bytes() const;

  // All entries, in no order; `visit` must not change the table.
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
    void fetch_slot(std::uint64_t hash) const {
      if (slots) __builtin_prefetch(&slots[hash & mask]);
    }
    void fetch_entry(std::uint64_t hash) const {
      if (slots && slots[hash & mask].hash == hash) __builtin_prefetch(slots[hash & mask].held);
    }
    void insert(entry* held, std::uint64_t hash);
    void erase(std::size_t at);
    bool full() const { return used >= capacity() / 4 * 3; }
    bool owns(const slot* at) const { return slots && at >= &slots[0] && at <= &slots[mask]; }
  };

  static part make_part(std::size_t capacity);
  void resize(std::size_t capacity);
  void move_some();

  part current_;
  part previous_;              // being moved, one run of filled slots after the other
  std::size_t move_next_ = 0;  // in previous_: from here on slots may be filled,
  std::size_t moved_ = 0;      // but not the last so many, around the end
};

}  // namespace stallscope::store
