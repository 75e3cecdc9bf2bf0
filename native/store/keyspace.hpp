// The keys of one shard: strings by name, with expiry and a memory limit.
//
//     keyspace keys(random_seed());
//     keys.advance(unix_ms);               // once per turn of the loop
//     if (keys.make_room()) keys.set("name", "value");
//     if (auto value = keys.get("name")) reply.bulk(*value);
//
// Cost: a key takes 16 bytes in the table and one allocation (16 bytes, the key, the value); an
// expiry takes 16 bytes more. A lookup is a hash and, for an existing key, two cache misses; it
// allocates nothing. The table grows in steps, so no single write pays for moving all keys.
//
// An expired key disappears when it is accessed. sweep() removes expired keys that are not
// accessed, a bounded number per call.
//
// Thread: one. Views of values are valid until the next call that changes the keyspace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "store/entry.hpp"
#include "store/entry_table.hpp"
#include "store/eviction.hpp"
#include "store/key_hash.hpp"

namespace stallscope::store {

struct keyspace_counts {
  std::uint64_t hits = 0;  // of get() and contains()
  std::uint64_t misses = 0;
  std::uint64_t expired = 0;
  std::uint64_t evicted = 0;
};

struct key_and_value {
  std::string_view key;
  std::string_view value;
};

class keyspace {
 public:
  explicit keyspace(const hash_seed& seed);
  keyspace(const keyspace&) = delete;
  keyspace& operator=(const keyspace&) = delete;
  keyspace(keyspace&&) = delete;
  keyspace& operator=(keyspace&&) = delete;
  ~keyspace();

  // Sets the time for expiry and "least recently used", in Unix milliseconds. Called once per turn.
  void advance(std::int64_t now_ms) { now_ms_ = now_ms; }
  std::int64_t now_ms() const { return now_ms_; }

  // Starts to prefetch what a lookup of this key will touch; changes nothing. Callers that know
  // several upcoming requests can overlap their cache misses this way. The entry is prefetched a
  // few calls later, when its slot has arrived. Returns the hash of the key for known_hash, or
  // nothing for a long key, which takes longer to hash than to load.
  std::optional<std::uint64_t> prefetch(std::string_view key);
  // During its lifetime, lookups of the key at this address use the given hash instead of computing
  // it.
  class known_hash {
   public:
    known_hash(keyspace& of, std::string_view key, std::optional<std::uint64_t> hash) : of_(of) {
      if (!hash) return;
      of_.hashed_at_ = key.data();
      of_.hashed_ = *hash;
    }
    known_hash(const known_hash&) = delete;
    known_hash& operator=(const known_hash&) = delete;
    known_hash(known_hash&&) = delete;
    known_hash& operator=(known_hash&&) = delete;
    ~known_hash() { of_.hashed_at_ = &of_; }

   private:
    keyspace& of_;
  };
  std::optional<std::string_view> get(std::string_view key);  // counts a hit or a miss
  bool contains(std::string_view key);  // also counts; does not update the time of last use

  // The keys from `first` to `last`, both included, in ascending order, with their values; at most
  // `limit`. Keys have no order in the table, so this visits all of them.
  std::vector<key_and_value> range(std::string_view first, std::string_view last,
                                   std::size_t limit) const;

  // Sets the value and removes the expiry. Key and value are at most 4 GiB each.
  void set(std::string_view key, std::string_view value) { put(key, value, false); }
  // Sets the value and keeps the expiry.
  void set_keeping_expiry(std::string_view key, std::string_view value) { put(key, value, true); }
  bool erase(std::string_view key);
  void clear();

  // The expiry in Unix milliseconds; nothing if the key does not expire or does not exist.
  std::optional<std::int64_t> expiry_ms(std::string_view key);
  // Returns false if the key does not exist. A time in the past removes the key.
  bool expire_at(std::string_view key, std::int64_t at_ms);
  // Removes the expiry. Returns whether there was one.
  bool persist(std::string_view key);

  // includes expired keys that are not removed yet
  std::size_t size() const { return table_.size(); }
  std::size_t volatile_size() const { return expiries_.size(); }
  // Mean time to live of keys with an expiry, as sampled by the last sweeps; 0 without such keys.
  std::int64_t mean_ttl_ms() const { return mean_ttl_ms_; }
  const keyspace_counts& counts() const { return counts_; }

  // Checks up to `max_count` keys with an expiry, continuing where the last call stopped, and
  // removes expired ones. Returns their number. Called about ten times a second, and again while a
  // quarter or more of the keys were expired.
  std::size_t sweep(std::size_t max_count);

  // Bytes in use: entries as the allocator counts them, and tables.
  std::size_t memory_bytes() const;
  const memory_limit& limit() const { return limit_; }
  void set_limit(const memory_limit& limit) { limit_ = limit; }
  // Called before a command that may need memory: evicts keys until the limit holds, including the
  // growth of the table by one key. Returns false if that is not possible; the command is then
  // rejected.
  bool make_room();

 private:
  struct expiry {
    std::int64_t at_ms;
    entry* held;
  };

  // The slot of the key; null if the key does not exist or was expired (and is now removed).
  entry_table::slot* find_live(std::string_view key, std::uint64_t hash);
  std::uint64_t hash_of(std::string_view key) const {
    return key.data() == hashed_at_ ? hashed_ : key_hash(seed_, key);
  }
  void put(std::string_view key, std::string_view value, bool keep_expiry);
  void replace(entry_table::slot& at, std::string_view value);
  void remove(entry_table::slot* at);
  void remove(const entry& held);
  void drop_expiry(entry& held);
  void touch(entry& held) const { held.touched = clock_tick(); }
  std::uint32_t clock_tick() const { return static_cast<std::uint32_t>(now_ms_ >> 4); }
  bool expired(const entry& held) const {
    return held.expiry_index != entry::never && expiries_[held.expiry_index].at_ms <= now_ms_;
  }
  entry* victim();
  entry* least_recently_used(bool of_volatile);
  entry* first_to_expire();
  const expiry& any_expiry() { return expiries_[random() % expiries_.size()]; }
  std::uint64_t random();

  hash_seed seed_;
  entry_table table_;
  std::deque<expiry> expiries_;  // grows without moving its elements
  std::size_t swept_to_ = 0;
  std::int64_t now_ms_ = 0;
  std::int64_t mean_ttl_ms_ = 0;
  std::size_t entry_bytes_ = 0;
  std::uint64_t random_state_;
  memory_limit limit_;
  keyspace_counts counts_;
  std::array<std::uint64_t, 8> prefetched_{};  // hashes of the last prefetched keys
  std::size_t prefetch_count_ = 0;
  const void* hashed_at_ = this;  // an address that no key has
  std::uint64_t hashed_ = 0;
};

}  // namespace stallscope::store
