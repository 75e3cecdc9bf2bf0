#include "kernels/dependency_chains.hpp"

namespace stallscope::kernels {
namespace {

#if defined(__x86_64__)
#define STALLSCOPE_ADD(to) "add %[increment], %[" #to "]\n"
#define STALLSCOPE_LOOP_END "dec %[left]\njnz 1b\n"
#elif defined(__aarch64__)
#define STALLSCOPE_ADD(to) "add %[" #to "], %[" #to "], %[increment]\n"
#define STALLSCOPE_LOOP_END "subs %[left], %[left], #1\nb.ne 1b\n"
#else
#error "the kernels support x86-64 and arm64 only"
#endif

// Ten sums, more than any core can add per cycle, with three additions per sum and iteration. The
// increment is in a register, because some cores add constants without an execution unit.
[[gnu::noinline]] std::uint64_t independent_adds(std::uint64_t iterations, std::uint64_t value) {
  if (iterations == 0) return value;
  std::uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0, j = 0;
  asm volatile(
      ".balign 64\n"
      "1:\n"
      ".rept 3\n"
      // clang-format off
      STALLSCOPE_ADD(a) STALLSCOPE_ADD(b) STALLSCOPE_ADD(c) STALLSCOPE_ADD(d) STALLSCOPE_ADD(e)
      STALLSCOPE_ADD(f) STALLSCOPE_ADD(g) STALLSCOPE_ADD(h) STALLSCOPE_ADD(i) STALLSCOPE_ADD(j)
      ".endr\n"
      STALLSCOPE_LOOP_END
      // clang-format on
      : [left] "+r"(iterations), [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [d] "+r"(d), [e] "+r"(e),
        [f] "+r"(f), [g] "+r"(g), [h] "+r"(h), [i] "+r"(i), [j] "+r"(j)
      : [increment] "r"(std::uint64_t{1})
      : "cc");
  return value + a + b + c + d + e + f + g + h + i + j;
}

// A single sum: every addition waits for the previous addition.
[[gnu::noinline]] std::uint64_t dependent_chain(std::uint64_t iterations, std::uint64_t value) {
  if (iterations == 0) return value;
  asm volatile(
      ".balign 64\n"
      "1:\n"
      ".rept 30\n"
      // clang-format off
      STALLSCOPE_ADD(sum)
      ".endr\n"
      STALLSCOPE_LOOP_END
      // clang-format on
      : [left] "+r"(iterations), [sum] "+r"(value)
      : [increment] "r"(std::uint64_t{1})
      : "cc");
  return value;
}

constexpr std::uint64_t dividend = 0xfedc'ba98'7654'3210U;
constexpr std::uint64_t min_divisor = 0x8000'0001U;

// Every division waits for the previous division. Divisors and quotients stay near 2^32, so that no
// core finishes early. The shifted value avoids a short cycle of values.
[[gnu::noinline]] std::uint64_t divide_chain(std::uint64_t iterations, std::uint64_t value) {
  for (std::uint64_t i = 0; i < iterations; ++i) {
    value = (dividend ^ (value << 16U)) / (value | min_divisor);
  }
  return value;
}

// The high half of a product, as in a division by a constant: a product takes a few cycles.
std::uint64_t scaled_down(std::uint64_t value) {
  __extension__ using wide = unsigned __int128;
  return static_cast<std::uint64_t>(
      (static_cast<wide>(dividend ^ (value << 16U)) * (value | min_divisor)) >> 64U);
}

// The cure of divide_chain: a product in place of each division, of four values in turn.
[[gnu::noinline]] std::uint64_t multiply_in_turn(std::uint64_t iterations, std::uint64_t value) {
  std::uint64_t second = value + 1, third = value + 2, fourth = value + 3;
  for (std::uint64_t i = 0; i < iterations; i += 4) {
    value = scaled_down(value);
    second = scaled_down(second);
    third = scaled_down(third);
    fourth = scaled_down(fourth);
  }
  return value + second + third + fourth;
}

#undef STALLSCOPE_ADD
#undef STALLSCOPE_LOOP_END

// Applies a function to a private word per thread.
class chain_kernel : public kernel_base {
 public:
  using loop_function = std::uint64_t (*)(std::uint64_t iterations, std::uint64_t value);
  chain_kernel(loop_function function, unsigned threads) : function_(function), words_(threads) {}

  std::uint64_t run(unsigned thread, std::uint64_t iterations, const std::atomic<bool>&) override {
    words_[thread].value = function_(iterations, words_[thread].value);
    return iterations;
  }
  [[nodiscard]] std::uint64_t result() const override {
    std::uint64_t sum = 0;
    for (const auto& word : words_) sum += word.value;
    return sum;
  }

 private:
  loop_function function_;
  std::vector<thread_word> words_;
};

}  // namespace

std::unique_ptr<kernel_base> make_independent_adds(const kernel_settings& setting) {
  return std::make_unique<chain_kernel>(independent_adds, setting.threads);
}

std::unique_ptr<kernel_base> make_dependent_chain(const kernel_settings& setting) {
  return std::make_unique<chain_kernel>(dependent_chain, setting.threads);
}

std::unique_ptr<kernel_base> make_divide_chain(const kernel_settings& setting) {
  return std::make_unique<chain_kernel>(setting.cured ? multiply_in_turn : divide_chain,
                                        setting.threads);
}

}  // namespace stallscope::kernels
