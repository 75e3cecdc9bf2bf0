#include "kernels/held_out_loops.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "kernels/memory.hpp"
#include "kernels/xorshift.hpp"

namespace stallscope::kernels {
namespace {

struct alignas(128) root_state {
  std::uint64_t turns = 0;
  double a = 2, b = 3, c = 5, d = 7;
};

// Four independent square roots, bound by the core's single square root unit.
[[gnu::noinline]] void square_roots(std::uint64_t iterations, root_state& roots) {
  auto [turns, a, b, c, d] = roots;
  for (std::uint64_t i = 0; i < iterations; ++i, ++turns) {
    const auto addend = static_cast<double>(turns & 15U);
    a = std::sqrt(a + addend + 1);
    b = std::sqrt(b + addend + 2);
    c = std::sqrt(c + addend + 3);
    d = std::sqrt(d + addend + 4);
  }
  roots = {turns, a, b, c, d};
}

class square_roots_kernel : public kernel_base {
 public:
  explicit square_roots_kernel(const kernel_settings& setting) : roots_(setting.threads) {}

  std::uint64_t run(unsigned thread, std::uint64_t iterations, const std::atomic<bool>&) override {
    square_roots(iterations, roots_[thread]);
    return iterations;
  }
  // Returns the number of roots plus the last roots. The last roots alone converge, and would not
  // depend on the number of iterations.
  [[nodiscard]] std::uint64_t result() const override {
    std::uint64_t sum = 0;
    for (const root_state& state : roots_) {
      sum += 4 * state.turns + static_cast<std::uint64_t>(state.a + state.b + state.c + state.d);
    }
    return sum;
  }

 private:
  std::vector<root_state> roots_;
};

// Walks a single cycle through all entries of a table of half the level 2 cache; an entry is the
// index of the next entry.
[[gnu::noinline]] std::uint32_t walk_states(std::uint64_t iterations,
                                            std::span<const std::uint32_t> next,
                                            std::uint32_t state) {
  for (std::uint64_t i = 0; i < iterations; ++i) state = next[state];
  return state;
}

class state_walk_kernel : public kernel_base {
 public:
  explicit state_walk_kernel(const kernel_settings& setting)
      : next_(working_sets_of(setting.caches, setting.memory_limit_bytes).l2 /
              sizeof(std::uint32_t)),
        states_(setting.threads) {
    std::iota(next_.begin(), next_.end(), 0U);
    std::uint64_t random = 0x1234'5678'9abc'def1U;
    for (std::size_t i = next_.size() - 1; i > 0; --i) {  // a single cycle (Sattolo 1986)
      random = xorshift64(random);
      std::swap(next_[i], next_[random % i]);
    }
  }

  std::uint64_t run(unsigned thread, std::uint64_t iterations, const std::atomic<bool>&) override {
    const auto state = static_cast<std::uint32_t>(states_[thread].value);
    states_[thread].value = walk_states(iterations, next_, state);
    return iterations;
  }
  [[nodiscard]] std::uint64_t result() const override {
    std::uint64_t sum = 0;
    for (const auto& state : states_) sum += state.value;
    return sum;
  }
  [[nodiscard]] std::vector<kernel_parameter> parameters() const override {
    return {{"working_set_bytes", std::uint64_t{next_.size() * sizeof(std::uint32_t)}}};
  }

 private:
  std::vector<std::uint32_t> next_;
  std::vector<thread_word> states_;
};

struct alignas(128) merge_state {
  std::size_t left = 0, right = 0;  // positions in the two lists
  std::uint64_t sum = 0;
};

// Merges two sorted lists of random numbers. Which list has the smaller next number is random.
[[gnu::noinline]] void merge_lists(std::uint64_t iterations, std::span<const std::uint32_t> left,
                                   std::span<const std::uint32_t> right, merge_state& merge) {
  auto [i, j, sum] = merge;
  for (std::uint64_t step = 0; step < iterations; ++step) {
    if (left[i] < right[j]) {
      sum += left[i++];
      asm volatile("" : "+r"(sum));  // prevents a conditional move
    } else {
      sum ^= right[j++];
      asm volatile("" : "+r"(sum));
    }
    if (i + 1 >= left.size() || j + 1 >= right.size()) i = j = 0;
  }
  merge = {i, j, sum};
}

class merge_lists_kernel : public kernel_base {
 public:
  explicit merge_lists_kernel(const kernel_settings& setting)
      : left_(list_size), right_(list_size), merges_(setting.threads) {
    std::uint64_t random = 0xfeed'5eed'1234'0001U;
    for (auto* list : {&left_, &right_}) {
      for (auto& number : *list) {
        random = xorshift64(random);
        number = static_cast<std::uint32_t>(random >> 32U);
      }
      std::sort(list->begin(), list->end());
    }
  }

  std::uint64_t run(unsigned thread, std::uint64_t iterations, const std::atomic<bool>&) override {
    merge_lists(iterations, left_, right_, merges_[thread]);
    return iterations;
  }
  [[nodiscard]] std::uint64_t result() const override {
    std::uint64_t sum = 0;
    for (const auto& merge : merges_) sum += merge.sum;
    return sum;
  }

 private:
  static constexpr std::size_t list_size = std::size_t{1} << 16U;

  std::vector<std::uint32_t> left_;
  std::vector<std::uint32_t> right_;
  std::vector<merge_state> merges_;
};

}  // namespace

std::unique_ptr<kernel_base> make_square_roots(const kernel_settings& setting) {
  return std::make_unique<square_roots_kernel>(setting);
}

std::unique_ptr<kernel_base> make_state_walk(const kernel_settings& setting) {
  return std::make_unique<state_walk_kernel>(setting);
}

std::unique_ptr<kernel_base> make_merge_lists(const kernel_settings& setting) {
  return std::make_unique<merge_lists_kernel>(setting);
}

}  // namespace stallscope::kernels
