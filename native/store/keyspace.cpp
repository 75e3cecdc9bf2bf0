#include "store/keyspace.hpp"

#include <algorithm>

namespace stallscope::store {

namespace {
constexpr int samples = 5;                        // maxmemory-samples of redis
constexpr std::size_t max_prefetched_bytes = 64;  // hashing more takes longer than the cache miss
}  // namespace

keyspace::keyspace(const hash_seed& seed) : seed_(seed), random_state_(seed[0] ^ seed[1]) {}

keyspace::~keyspace() { clear(); }

void keyspace::clear() {
  table_.for_each([](entry* held) { entry::free(held); });
  table_.clear();
  expiries_.clear();
  expiries_.shrink_to_fit();
  swept_to_ = 0;
  mean_ttl_ms_ = 0;
  entry_bytes_ = 0;
}

entry_table::slot* keyspace::find_live(std::string_view key, std::uint64_t hash) {
  entry_table::slot* slot = table_.find(key, hash);
  if (slot == nullptr || !expired(*slot->held)) return slot;
  remove(slot);
  ++counts_.expired;
  return nullptr;
}

std::optional<std::uint64_t> keyspace::prefetch(std::string_view key) {
  if (key.size() > max_prefetched_bytes) return std::nullopt;
  const std::uint64_t hash = hash_of(key);
  table_.prefetch_slot(hash);
  std::uint64_t& oldest = prefetched_[prefetch_count_++ % prefetched_.size()];
  table_.prefetch_entry(oldest);
  oldest = hash;
  return hash;
}

std::optional<std::string_view> keyspace::get(std::string_view key) {
  const entry_table::slot* slot = find_live(key, hash_of(key));
  if (slot == nullptr) {
    ++counts_.misses;
    return std::nullopt;
  }
  ++counts_.hits;
  touch(*slot->held);
  return slot->held->value();
}

bool keyspace::contains(std::string_view key) {
  const bool there = find_live(key, hash_of(key)) != nullptr;
  ++(there ? counts_.hits : counts_.misses);
  return there;
}

std::vector<key_and_value> keyspace::range(std::string_view first, std::string_view last,
                                           std::size_t limit) const {
  std::vector<key_and_value> lowest;  // a heap: the greatest key is at the front
  table_.for_each([&](const entry* held) {
    const std::string_view key = held->key();
    if (key < first || key > last || expired(*held)) return;
    if (lowest.size() == limit) {
      if (key >= lowest.front().key) return;
      std::ranges::pop_heap(lowest, {}, &key_and_value::key);
      lowest.pop_back();
    }
    lowest.push_back({key, held->value()});
    std::ranges::push_heap(lowest, {}, &key_and_value::key);
  });
  std::ranges::sort_heap(lowest, {}, &key_and_value::key);
  return lowest;
}

void keyspace::put(std::string_view key, std::string_view value, bool keep_expiry) {
  const std::uint64_t hash = hash_of(key);
  entry_table::slot* slot = find_live(key, hash);
  if (slot == nullptr) {
    entry* made = entry::make(key, value);
    touch(*made);
    try {
      table_.insert(made, hash);
    } catch (...) {
      entry::free(made);
      throw;
    }
    entry_bytes_ += made->allocated_bytes();
    return;
  }
  if (!keep_expiry) drop_expiry(*slot->held);
  if (!slot->held->overwrite(value)) replace(*slot, value);
  touch(*slot->held);
}

void keyspace::replace(entry_table::slot& at, std::string_view value) {
  entry* old = at.held;
  entry* made = entry::make(old->key(), value);
  made->expiry_index = old->expiry_index;
  if (made->expiry_index != entry::never) expiries_[made->expiry_index].held = made;
  at.held = made;
  entry_bytes_ += made->allocated_bytes();
  entry_bytes_ -= old->allocated_bytes();
  entry::free(old);
}

bool keyspace::erase(std::string_view key) {
  entry_table::slot* slot = find_live(key, hash_of(key));
  if (slot != nullptr) remove(slot);
  return slot != nullptr;
}

void keyspace::remove(entry_table::slot* at) {
  entry* held = at->held;
  drop_expiry(*held);
  table_.erase(at);
  entry_bytes_ -= held->allocated_bytes();
  entry::free(held);
}

void keyspace::remove(const entry& held) { remove(table_.find(held.key(), hash_of(held.key()))); }

void keyspace::drop_expiry(entry& held) {
  if (held.expiry_index == entry::never) return;
  expiries_[held.expiry_index] = expiries_.back();
  expiries_.back().held->expiry_index = held.expiry_index;
  expiries_.pop_back();
  held.expiry_index = entry::never;
}

std::optional<std::int64_t> keyspace::expiry_ms(std::string_view key) {
  const entry_table::slot* slot = find_live(key, hash_of(key));
  if (slot == nullptr || slot->held->expiry_index == entry::never) return std::nullopt;
  return expiries_[slot->held->expiry_index].at_ms;
}

bool keyspace::expire_at(std::string_view key, std::int64_t at_ms) {
  entry_table::slot* slot = find_live(key, hash_of(key));
  if (slot == nullptr) return false;
  entry& held = *slot->held;
  if (at_ms <= now_ms_) {
    remove(slot);
  } else if (held.expiry_index != entry::never) {
    expiries_[held.expiry_index].at_ms = at_ms;
  } else {
    expiries_.push_back({at_ms, &held});  // first, because it may throw std::bad_alloc
    held.expiry_index = static_cast<std::uint32_t>(expiries_.size() - 1);
  }
  return true;
}

bool keyspace::persist(std::string_view key) {
  const entry_table::slot* slot = find_live(key, hash_of(key));
  if (slot == nullptr || slot->held->expiry_index == entry::never) return false;
  drop_expiry(*slot->held);
  return true;
}

std::size_t keyspace::sweep(std::size_t max_count) {
  std::size_t removed = 0;
  std::size_t alive = 0;
  double ttl_sum = 0;
  for (max_count = std::min(max_count, expiries_.size()); max_count > 0; --max_count) {
    if (swept_to_ >= expiries_.size()) swept_to_ = 0;
    const expiry& looked_at = expiries_[swept_to_];
    if (looked_at.at_ms <= now_ms_) {
      remove(*looked_at.held);  // the last expiry takes its position
      ++removed;
      continue;
    }
    ttl_sum += static_cast<double>(looked_at.at_ms - now_ms_);
    ++alive;
    ++swept_to_;
  }
  counts_.expired += removed;
  mean_ttl_ms_ = alive == 0 ? 0 : static_cast<std::int64_t>(ttl_sum / static_cast<double>(alive));
  return removed;
}

std::size_t keyspace::memory_bytes() const {
  return entry_bytes_ + table_.memory_bytes() + expiries_.size() * sizeof(expiry);
}

bool keyspace::make_room() {
  while (memory_bytes() + table_.growth_bytes() > limit_.bytes) {
    const entry* leaving = victim();
    if (leaving == nullptr) return false;
    remove(*leaving);
    ++counts_.evicted;
  }
  return true;
}

entry* keyspace::victim() {
  switch (limit_.policy) {
    case eviction_policy::allkeys_lru:
      return least_recently_used(false);
    case eviction_policy::allkeys_random:
      return table_.entry_near(random());
    case eviction_policy::volatile_lru:
      return least_recently_used(true);
    case eviction_policy::volatile_ttl:
      return first_to_expire();
    case eviction_policy::noeviction:
      break;
  }
  return nullptr;
}

entry* keyspace::least_recently_used(bool of_volatile) {
  if (of_volatile && expiries_.empty()) return nullptr;
  entry* longest = nullptr;
  for (int sample = 0; sample < samples; ++sample) {
    entry* candidate = of_volatile ? any_expiry().held : table_.entry_near(random());
    if (candidate == nullptr) return nullptr;
    const bool longer =
        longest == nullptr || clock_tick() - candidate->touched > clock_tick() - longest->touched;
    if (longer) longest = candidate;
  }
  return longest;
}

entry* keyspace::first_to_expire() {
  if (expiries_.empty()) return nullptr;
  expiry first = any_expiry();
  for (int sample = 1; sample < samples; ++sample) {
    const expiry& candidate = any_expiry();
    if (candidate.at_ms < first.at_ms) first = candidate;
  }
  return first.held;
}

// splitmix64 (Steele, Lea and Flood, 2014).
std::uint64_t keyspace::random() {
  std::uint64_t mixed = random_state_ += 0x9e3779b97f4a7c15U;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 31U);
}

}  // namespace stallscope::store
