#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>

#include "store/entry_table.hpp"
#include "store/key_hash.hpp"

using namespace stallscope::store;

namespace {

// Checks an entry_table against std::map. `hash_mask` makes hashes collide.
class compared_table {
 public:
  explicit compared_table(std::uint64_t hash_mask) : hash_mask_(hash_mask) {}
  compared_table(const compared_table&) = delete;
  compared_table& operator=(const compared_table&) = delete;
  ~compared_table() {
    for (const auto& [key, held] : model_) entry::free(held);
  }

  void insert(const std::string& key) {
    if (model_.contains(key)) return;
    model_[key] = entry::make(key, "");
    table_.insert(model_[key], hash(key));
  }
  void erase(const std::string& key) {
    entry_table::slot* slot = table_.find(key, hash(key));
    CHECK((slot != nullptr) == model_.contains(key));
    if (slot == nullptr) return;
    entry::free(slot->held);
    table_.erase(slot);
    model_.erase(key);
  }
  void check() const {
    auto& table = const_cast<entry_table&>(table_);
    REQUIRE(table.size() == model_.size());
    for (const auto& [key, held] : model_) {
      const entry_table::slot* slot = table.find(key, hash(key));
      REQUIRE(slot != nullptr);
      REQUIRE(slot->held == held);
    }
    std::size_t visited = 0;
    table.for_each([&](const entry* held) {
      visited += model_.at(std::string(held->key())) == held ? 1U : 0U;
    });
    REQUIRE(visited == model_.size());
  }
  entry_table& table() { return table_; }

 private:
  std::uint64_t hash(const std::string& key) const { return key_hash({1, 2}, key) & hash_mask_; }

  std::uint64_t hash_mask_;
  entry_table table_;
  std::map<std::string, entry*> model_;
};

}  // namespace

TEST_CASE("the table holds its entries while it grows, shrinks and moves") {
  for (const std::uint64_t mask : {~std::uint64_t{0}, std::uint64_t{0xff}, std::uint64_t{0}}) {
    CAPTURE(mask);
    compared_table compared(mask);
    std::mt19937 random(7);
    const unsigned keys = mask == 0 ? 150 : 1500;
    for (unsigned turn = 0; turn < 4 * keys; ++turn) {
      const std::string key = "key:" + std::to_string(random() % keys);
      // Mostly inserts first, mostly erases at the end.
      if (random() % (4 * keys) > turn) {
        compared.insert(key);
      } else {
        compared.erase(key);
      }
      if (turn % (keys / 5) == 0) compared.check();
    }
    for (unsigned number = 0; number < keys; ++number) {
      compared.erase("key:" + std::to_string(number));
    }
    compared.check();
    CHECK(compared.table().memory_bytes() <= 16 * 64 * 5);
  }
}

TEST_CASE("random draws hit all entries about equally often, also during a resize") {
  compared_table compared(~std::uint64_t{0});
  std::mt19937_64 random(3);
  // 49 fill the first 64 slots to three quarters; the next begins the move.
  for (int number = 0; number < 110; ++number) {
    compared.insert(std::to_string(number));
    std::map<const entry*, int> drawn;
    for (int draw = 0; draw < 200; ++draw) ++drawn[compared.table().entry_near(random())];
    CHECK_FALSE(drawn.contains(nullptr));
    CHECK(drawn.size() > static_cast<std::size_t>(number) / 8);
  }
  CHECK(entry_table().entry_near(5) == nullptr);
}

TEST_CASE("growth_bytes() predicts the allocation of the next insert") {
  compared_table compared(~std::uint64_t{0});
  for (int number = 0; number < 500; ++number) {
    const std::size_t before = compared.table().memory_bytes();
    const std::size_t growth = compared.table().growth_bytes();
    compared.insert(std::to_string(number));
    CHECK(compared.table().memory_bytes() <= before + growth);
  }
}

TEST_CASE("hashes depend on every byte, on the length and on the seed") {
  CHECK(key_hash({1, 2}, "a") != key_hash({1, 2}, "b"));
  CHECK(key_hash({1, 2}, "a") != key_hash({1, 3}, "a"));
  CHECK(key_hash({1, 2}, std::string_view("\0", 1)) != key_hash({1, 2}, ""));
  CHECK(key_hash({1, 2}, "12345678a") != key_hash({1, 2}, "12345678b"));
  CHECK(random_seed() != random_seed());
}
