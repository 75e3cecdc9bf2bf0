#include "kernels/branches.hpp"

#include <bit>

#include "kernels/xorshift.hpp"

namespace stallscope::kernels {
namespace {

constexpr unsigned bits_per_word = 64;

// The bits alternate: a predictor with history predicts them, a counter per branch is wrong half
// the time. The rotation does not change the word; its cost stands in for a step of the generator.
std::uint64_t next_periodic(std::uint64_t state) noexcept { return std::rotl(state, 2); }

constexpr std::uint64_t random_seed = 0x9e37'79b9'7f4a'7c15U;
constexpr std::uint64_t periodic_seed = 0xaaaa'aaaa'aaaa'aaaaU;

struct alignas(128) branch_state {
  std::uint64_t word = 0;
  std::uint64_t bits = 0;   // the bits of the word that were not used yet
  std::uint64_t count = 0;  // completed iterations
  std::uint64_t a = 1, b = 2, c = 3, d = 4;
};

// Both sides of the branch change all sums, and the empty asm statements prevent conditional moves
// in place of the branch.
template <std::uint64_t (*next_word)(std::uint64_t)>
void branch_on_bits(std::uint64_t iterations, branch_state& state) {
  auto [word, bits, count, a, b, c, d] = state;
  for (std::uint64_t i = 0; i < iterations; ++i, ++count) {
    if (count % bits_per_word == 0) bits = word = next_word(word);
    if ((bits & 1U) != 0) {
      asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
      a += bits;
      b -= count;
      c += 5;
      d ^= count;
    } else {
      asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
      a ^= count;
      b += 3;
      c -= bits;
      d += count;
    }
    bits >>= 1U;
  }
  state = {word, bits, count, a, b, c, d};
}

[[gnu::noinline]] void random_branches(std::uint64_t iterations, branch_state& state) {
  branch_on_bits<xorshift64>(iterations, state);
}

[[gnu::noinline]] void periodic_branches(std::uint64_t iterations, branch_state& state) {
  branch_on_bits<next_periodic>(iterations, state);
}

class branch_kernel : public kernel_base {
 public:
  using loop_function = void (*)(std::uint64_t iterations, branch_state& state);
  branch_kernel(loop_function function, std::uint64_t seed, unsigned threads)
      : function_(function), states_(threads) {
    for (auto& state : states_) state.word = seed;
  }

  std::uint64_t run(unsigned thread, std::uint64_t iterations, const std::atomic<bool>&) override {
    function_(iterations, states_[thread]);
    return iterations;
  }
  [[nodiscard]] std::uint64_t result() const override {
    std::uint64_t sum = 0;
    for (const auto& state : states_) sum += state.a + state.b + state.c + state.d;
    return sum;
  }

 private:
  loop_function function_;
  std::vector<branch_state> states_;
};

}  // namespace

std::unique_ptr<kernel_base> make_random_branches(const kernel_settings& setting) {
  return std::make_unique<branch_kernel>(random_branches, random_seed, setting.threads);
}

std::unique_ptr<kernel_base> make_periodic_branches(const kernel_settings& setting) {
  return std::make_unique<branch_kernel>(periodic_branches, periodic_seed, setting.threads);
}

}  // namespace stallscope::kernels
