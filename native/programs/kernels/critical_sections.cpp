#include "kernels/critical_sections.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <span>

#include "kernels/lock_account.hpp"
#include "kernels/work.hpp"

namespace stallscope::kernels {
namespace {

constexpr std::uint64_t private_steps = 200;  // of arithmetic between two critical sections

// Registers one key after another, and first searches all registered keys for it: the work under
// the mutex grows with their number. At the capacity the registry is cleared. The look-alike
// searches one slot, whatever the number of keys.
class o_n_critical_section_kernel : public kernel_base {
 public:
  explicit o_n_critical_section_kernel(const kernel_settings& setting)
      : look_alike_(setting.look_alike),
        entries_(capacity),
        accounts_(setting.threads),
        values_(setting.threads) {}

  std::uint64_t run(unsigned thread, std::uint64_t iterations, const std::atomic<bool>&) override {
    auto& value = values_[thread].value;
    for (std::uint64_t i = 0; i < iterations; ++i) {
      value = hot_arithmetic(private_steps, value + 1);
      const critical_section section(mutex_, accounts_[thread]);
      accounts_[thread].steps += look_alike_ ? search_slot() : search_all();
      register_key(section);
    }
    return iterations;
  }
  // Returns the number of registered keys and of visited entries, which no timing changes.
  [[nodiscard]] std::uint64_t result() const override {
    std::uint64_t visited = 0;
    for (const lock_account& account : accounts_) visited += account.steps;
    return next_key_ + visited + matches_;
  }
  [[nodiscard]] std::vector<kernel_parameter> parameters() const override {
    return {{"capacity", std::uint64_t{capacity}}};
  }
  [[nodiscard]] std::vector<kernel_parameter> account() const override {
    std::vector<kernel_parameter> values = account_of(accounts_, "entries_visited");
    // Missing if the run did not register as many entries.
    if (least_held_ns_.front() != not_measured) {
      values.push_back({"least_held_ns_with_few_entries", least_held_ns_.front()});
    }
    if (least_held_ns_.back() != not_measured) {
      values.push_back({"least_held_ns_with_many_entries", least_held_ns_.back()});
    }
    return values;
  }

 private:
  static constexpr std::size_t capacity = 16'384;
  static constexpr std::size_t quarter = capacity / 4;
  static constexpr std::uint64_t not_measured = std::numeric_limits<std::uint64_t>::max();

  // As large as a cache line, so that a search of many takes longer than waking a thread.
  struct alignas(64) registry_entry {
    std::uint64_t key = 0;
  };

  // Returns the number of visited entries. The next key is never registered yet.
  [[gnu::noinline]] std::uint64_t search_all() noexcept {
    const std::span registered = std::span(entries_).first(registered_);
    const auto at = std::ranges::find(registered, next_key_, &registry_entry::key);
    matches_ += at == registered.end() ? 0U : 1U;
    return registered_;
  }
  [[gnu::noinline]] std::uint64_t search_slot() noexcept {
    matches_ += entries_[registered_].key == next_key_ ? 1U : 0U;
    return 1;
  }
  void register_key(const critical_section& section) noexcept {
    entries_[registered_].key = next_key_++;
    auto& least_ns = least_held_ns_[registered_ / quarter];
    least_ns = std::min(least_ns, section.held_ns());
    if (++registered_ == capacity) registered_ = 0;
  }

  bool look_alike_;
  std::mutex mutex_;
  // Under the mutex.
  std::vector<registry_entry> entries_;
  std::size_t registered_ = 0;
  std::uint64_t next_key_ = 1;
  std::uint64_t matches_ = 0;
  // By quarter of the capacity; the least is hardly changed by preemption.
  std::array<std::uint64_t, 4> least_held_ns_{not_measured, not_measured, not_measured,
                                              not_measured};

  std::vector<lock_account> accounts_;
  std::vector<thread_word> values_;
};

// Looks up existing keys of a chained hash table under a mutex. The table has too few buckets, so
// that its chains are long; the look-alike has a bucket per key. Key k is in bucket k % buckets.
class hash_under_lock_kernel : public kernel_base {
 public:
  explicit hash_under_lock_kernel(const kernel_settings& setting)
      : buckets_(setting.look_alike ? keys : few_buckets, no_node),
        nodes_(keys),
        accounts_(setting.threads),
        values_(setting.threads) {
    for (std::uint32_t key = 0; key < keys; ++key) {
      std::uint32_t& head = buckets_[key % buckets_.size()];
      nodes_[key] = {.key = key, .next = head};
      head = key;
    }
  }

  std::uint64_t run(unsigned thread, std::uint64_t iterations, const std::atomic<bool>&) override {
    auto& value = values_[thread].value;
    for (std::uint64_t i = 0; i < iterations; ++i) {
      value = hot_arithmetic(private_steps, value + 1);
      const critical_section section(mutex_, accounts_[thread]);
      accounts_[thread].steps += visited_by_lookup(next_key());
    }
    return iterations;
  }
  // Returns the number of lookups and of visited nodes, which no timing changes.
  [[nodiscard]] std::uint64_t result() const override {
    std::uint64_t visited = 0;
    for (const lock_account& account : accounts_) visited += account.steps;
    return lookups_ + visited;
  }
  [[nodiscard]] std::vector<kernel_parameter> parameters() const override {
    return {{"keys", std::uint64_t{keys}}, {"buckets", std::uint64_t{buckets_.size()}}};
  }
  [[nodiscard]] std::vector<kernel_parameter> account() const override {
    std::vector<kernel_parameter> values = account_of(accounts_, "nodes_visited");
    values.push_back({"longest_chain", longest_});
    return values;
  }

 private:
  static constexpr std::uint32_t keys = 16'384;
  static constexpr std::size_t few_buckets = 64;
  static constexpr std::uint32_t no_node = UINT32_MAX;
  static constexpr std::uint32_t key_step = 4093;  // odd, so that all keys occur in turn

  struct chain_entry {
    std::uint32_t key = 0;
    std::uint32_t next = no_node;
  };

  [[nodiscard]] std::uint32_t next_key() noexcept {
    return static_cast<std::uint32_t>(lookups_++ * key_step % keys);
  }
  [[gnu::noinline]] std::uint64_t visited_by_lookup(std::uint32_t key) noexcept {
    std::uint64_t visited = 1;
    std::uint32_t at = buckets_[key % buckets_.size()];
    for (; nodes_[at].key != key; at = nodes_[at].next) ++visited;
    longest_ = std::max(longest_, visited);
    return visited;
  }

  std::mutex mutex_;
  std::vector<std::uint32_t> buckets_;
  std::vector<chain_entry> nodes_;
  std::uint64_t lookups_ = 0;  // under the mutex, as is longest_
  std::uint64_t longest_ = 0;
  std::vector<lock_account> accounts_;
  std::vector<thread_word> values_;
};

}  // namespace

std::unique_ptr<kernel_base> make_o_n_critical_section(const kernel_settings& setting) {
  return std::make_unique<o_n_critical_section_kernel>(setting);
}

std::unique_ptr<kernel_base> make_hash_under_lock(const kernel_settings& setting) {
  return std::make_unique<hash_under_lock_kernel>(setting);
}

}  // namespace stallscope::kernels
