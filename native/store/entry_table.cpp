#include "store/entry_table.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

namespace stallscope::store {

namespace {
constexpr std::size_t min_capacity = 64;
// slots; two would suffice to finish before the next resize
constexpr std::size_t moves_per_change = 16;
}  // namespace

void entry_table::freer::operator()(slot* slots) const { std::free(slots); }

entry_table::part entry_table::make_part(std::size_t capacity) {
  part made;
  // calloc: the kernel zeroes large tables page by page on first use.
  made.slots.reset(static_cast<slot*>(std::calloc(capacity, sizeof(slot))));
  if (!made.slots) throw std::bad_alloc();
  made.mask = capacity - 1;
  return made;
}

void entry_table::part::insert(entry* held, std::uint64_t hash) {
  std::size_t at = hash & mask;
  while (slots[at].held != nullptr) at = (at + 1) & mask;
  slots[at] = {hash, held};
  ++used;
}

void entry_table::part::erase(std::size_t at) {
  std::size_t hole = at;
  for (std::size_t next = (at + 1) & mask; slots[next].held != nullptr; next = (next + 1) & mask) {
    // The slot may move back unless its home position lies behind the hole.
    const std::size_t from_home = (next - slots[next].hash) & mask;
    if (from_home < ((next - hole) & mask)) continue;
    slots[hole] = slots[next];
    hole = next;
  }
  slots[hole].held = nullptr;
  --used;
}

std::size_t entry_table::growth_bytes() const {
  if (!current_.slots) return min_capacity * sizeof(slot);
  return current_.full() ? 2 * current_.capacity() * sizeof(slot) : 0;
}

void entry_table::insert(entry* held, std::uint64_t hash) {
  if (!current_.slots) {
    current_ = make_part(min_capacity);
  } else if (current_.full()) {
    resize(2 * current_.capacity());
  }
  current_.insert(held, hash);
  if (previous_.slots) continue_moving();
}

void entry_table::erase(slot* at) noexcept {
  part& of = current_.owns(at) ? current_ : previous_;
  of.erase(static_cast<std::size_t>(at - of.slots.get()));
  if (previous_.slots) {
    continue_moving();
  } else if (current_.capacity() > min_capacity &&
             current_.used + reserved_ < current_.capacity() / 8) {
    try {
      resize(current_.capacity() / 4);
    } catch (const std::bad_alloc&) {  // it stays as large as it is
    }
  }
}

void entry_table::clear() noexcept {
  previous_ = {};
  if (reserved_ == 0) {
    current_ = {};
  } else {
    std::fill_n(current_.slots.get(), current_.capacity(), slot{});
    current_.used = 0;
  }
}

void entry_table::reserve() {
  const std::size_t needed = size() + reserved_ + 1;
  if (!current_.slots) {
    current_ = make_part(min_capacity);
  } else if (needed > current_.limit()) {
    resize(2 * current_.capacity());
  }
  ++reserved_;
}

void entry_table::resize(std::size_t capacity) {
  part larger = make_part(capacity < min_capacity ? min_capacity : capacity);
  while (previous_.slots) continue_moving();
  previous_ = std::exchange(current_, std::move(larger));
  // Whole runs are moved, so that the remaining slots stay reachable. Start behind an empty slot.
  move_next_ = moved_ = 0;
  while (previous_.slots[move_next_].held != nullptr) ++move_next_;
}

void entry_table::continue_moving() {
  for (std::size_t passed = 0; previous_.used != 0; ++passed) {
    slot& from = previous_.slots[move_next_];
    if (from.held == nullptr && passed >= moves_per_change) return;
    if (from.held != nullptr) {
      current_.insert(from.held, from.hash);
      from.held = nullptr;
      --previous_.used;
    }
    move_next_ = (move_next_ + 1) & previous_.mask;
    ++moved_;
  }
  previous_ = {};
}

entry* entry_table::entry_near(std::uint64_t place) const {
  if (size() == 0) return nullptr;
  const bool in_previous = previous_.used > current_.used;
  const part& in = in_previous ? previous_ : current_;
  std::size_t at = in_previous ? move_next_ + place % (in.capacity() - moved_) : place;
  for (at &= in.mask; in.slots[at].held == nullptr;) at = (at + 1) & in.mask;
  return in.slots[at].held;
}

}  // namespace stallscope::store
