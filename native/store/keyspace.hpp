// The keys of one shard: strings by name, with expiry and a bound on memory. A key costs 16 bytes
// in the table and one allocation (16 bytes, the key, the value); one that expires costs 16 more. A
// look-up costs a hash and, where the key is there, two cache misses; it allocates nothing. The
// table grows in steps, so that no single write pays for moving all keys.
//
// Expired keys are gone as soon as anyone looks at them (lazy); sweep() finds those that nobody
// looks at (active), a bounded number at a time.
//
// Belongs to one thread. Views of values hold until the next call that changes the keyspace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

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

class keyspace {
 public:
  explicit keyspace(const hash_seed& seed);
  keyspace(const keyspace&) = delete;
  keyspace& operator=(const keyspace&) = delete;
  keyspace(keyspace&&) = delete;
  keyspace& operator=(keyspace&&) = delete;
  ~keyspace();

  // The time that expiry and "least recently used" go by, Unix milliseconds; read once a turn.
  void advance(std::int64_t now_ms) { now_ms_ = now_ms; }
  std::int64_t now_ms() const { return now_ms_; }

  // Begins to fetch what a look-up of this key will touch; changes nothing. For callers that know
  // some requests ahead: the memory then works on several at once. The entry itself is asked for
  // some calls later, when the slot that points to it has come. Returns the key's hash, for
  // expected_key; nothing for a long key, which takes longer to hash than the memory to come.
  std::optional<std::uint64_t> expect(std::string_view key);
  // While it lives, look-ups of the key at this very place in memory do not hash it again, if its
  // hash is given.
  class expected_key {
   public:
    expected_key(keyspace& of, std::string_view key, std::optional<std::uint64_t> hash) : of_(of) {
      if (!hash) return;
      of_.hashed_at_ = key.data();
      of_.hashed_ = *hash;
    }
    expected_key(const expected_key&) = delete;
    expected_key& operator=(const expected_key&) = delete;
    expected_key(expected_key&&) = delete;
    expected_key& operator=(expected_key&&) = delete;
    ~expected_key() { of_.hashed_at_ = &of_; }

   private:
    keyspace& of_;
  };
  std::optional<std::string_view> get(std::string_view key);  // counts a hit or a miss
  bool contains(std::string_view key);                        // too, and leaves "last used" alone

  // Sets the value and removes any expiry. At most 4 GiB each for key and value.
  void set(std::string_view key, std::string_view value) { put(key, value, false); }
  // Sets the value of a key and leaves its expiry as it is.
  void set_keeping_expiry(std::string_view key, std::string_view value) { put(key, value, true); }
  bool erase(std::string_view key);
  void clear();

  // When the key expires, Unix milliseconds; nothing where it does not, or is not there.
  std::optional<std::int64_t> expiry_ms(std::string_view key);
  // False where there is no such key. A time that has come removes the key.
  bool expire_at(std::string_view key, std::int64_t at_ms);
  // Whether the key was there and had an expiry.
  bool persist(std::string_view key);

  std::size_t size() const { return table_.size(); }  // with those expired and not yet found
  std::size_t volatile_size() const { return expiries_.size(); }
  // Mean time to live of the keys that expire, as far as the last sweeps saw; 0 where none.
  std::int64_t mean_ttl_ms() const { return mean_ttl_ms_; }
  const keyspace_counts& counts() const { return counts_; }

  // Looks at up to `most` keys with an expiry, where it left off, and removes those whose time has
  // come; how many. Called some ten times a second, and again while a fourth or more were removed.
  std::size_t sweep(std::size_t most);

  // Bytes held: entries as the allocator counts them, and tables.
  std::size_t memory_bytes() const;
  const memory_limit& limit() const { return limit_; }
  void set_limit(const memory_limit& limit) { limit_ = limit; }
  // Before a command that may need memory: evicts until the limit holds, also should the table grow
  // for one more key. False where that cannot be reached: the command is to be refused.
  bool make_room();

 private:
  struct expiry {
    std::int64_t at_ms;
    entry* held;
  };

  // Where the key is, after an expired one is removed; null where it is not.
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
  entry* longest_unused(bool of_volatile);
  entry* first_to_expire();
  const expiry& any_expiry() { return expiries_[random() % expiries_.size()]; }
  std::uint64_t random();

  hash_seed seed_;
  entry_table table_;
  std::deque<expiry> expiries_;  // grows without moving what is there
  std::size_t swept_to_ = 0;
  std::int64_t now_ms_ = 0;
  std::int64_t mean_ttl_ms_ = 0;
  std::size_t entry_bytes_ = 0;
  std::uint64_t random_state_;
  memory_limit limit_;
  keyspace_counts counts_;
  std::array<std::uint64_t, 8> expected_{};  // hashes of the last keys
  std::size_t times_expected_ = 0;
  const void* hashed_at_ = this;  // which no key is at
  std::uint64_t hashed_ = 0;
};

}  // namespace stallscope::store
