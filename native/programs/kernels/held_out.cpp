#include "kernels/held_out.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>

#include "kernels/memory.hpp"
#include "kernels/private_memory.hpp"
#include "kernels/xorshift.hpp"

namespace stallscope::kernels {
namespace {

constexpr std::uint64_t seed = 0x2545'f491'4f6c'dd1dU;

std::uint64_t dram_bytes(const kernel_settings& setting) noexcept {
  return working_sets_of(setting.caches, setting.memory_limit_bytes).dram;
}

// Looks up random keys in a full table, hashed by multiplication (Knuth, 6.4). The key in a slot is
// the key that hashes to the slot. Therefore one pass fills the table, and no lookup probes a
// second slot. Keys do not depend on looked-up values, so lookups overlap.
class hash_lookups_kernel : public kernel_base {
 public:
  explicit hash_lookups_kernel(const kernel_settings& setting)
      : memory_(table_bytes(dram_bytes(setting), setting.memory_limit_bytes), MADV_HUGEPAGE),
        states_(setting.threads) {
    slots_ = memory_.as<table_slot>();
    shift_ = 64U - static_cast<unsigned>(std::bit_width(slots_.size() - 1));
    for (std::uint64_t i = 0; i < slots_.size(); ++i) slots_[i] = {key_at(i), i};
    for (std::size_t i = 0; i < states_.size(); ++i) states_[i].random = seed + i;
  }

  std::uint64_t run(unsigned thread, std::uint64_t iterations, const std::atomic<bool>&) override {
    look_up(iterations, states_[thread]);
    return iterations;
  }
  [[nodiscard]] std::uint64_t result() const override {
    std::uint64_t sum = 0;
    for (const auto& state : states_) sum += state.sum;
    return sum;
  }
  [[nodiscard]] std::vector<kernel_parameter> parameters() const override {
    return {{"working_set_bytes", slots_.size_bytes()}};
  }

 private:
  struct table_slot {
    std::uint64_t key = 0;
    std::uint64_t value = 0;
  };
  struct alignas(128) lookup_state {
    std::uint64_t random = 0;
    std::uint64_t sum = 0;
  };
  static constexpr std::uint64_t multiplier = 0x9e37'79b9'7f4a'7c15U;
  static constexpr std::uint64_t inverse =
      0xf1de'83e1'9937'733dU;  // of the multiplier, modulo 2^64

  [[nodiscard]] std::uint64_t key_at(std::uint64_t slot) const noexcept {
    return (slot << shift_) * inverse;
  }
  [[gnu::noinline]] void look_up(std::uint64_t iterations, lookup_state& state) const {
    auto [random, sum] = state;
    for (std::uint64_t i = 0; i < iterations; ++i) {
      random = xorshift64(random);
      std::uint64_t key = key_at(random >> shift_);
      asm volatile("" : "+r"(key));  // hides from the compiler that the slot is known
      std::uint64_t slot = (key * multiplier) >> shift_;
      while (slots_[slot].key != key) slot = (slot + 1) & (slots_.size() - 1);
      sum += slots_[slot].value;
    }
    state = {random, sum};
  }

  private_memory memory_;
  std::span<table_slot> slots_;
  unsigned shift_ = 0;
  std::vector<lookup_state> states_;
};

struct copied_line {
  std::array<std::uint64_t, 8> words;
};

// Copies lines and adds a number to every word: bound by the memory bandwidth of reads and writes.
// Without the addition a compiler would call memcpy.
[[gnu::noinline]] void add_lines(std::span<const copied_line> from, std::span<copied_line> to,
                                 std::uint64_t added) {
  for (std::size_t i = 0; i < from.size(); ++i) {
#pragma GCC unroll 8
    for (std::size_t word = 0; word < from[i].words.size(); ++word) {
      to[i].words[word] = from[i].words[word] + added;
    }
  }
}

class copy_and_add_kernel : public kernel_base {
 public:
  explicit copy_and_add_kernel(const kernel_settings& setting)
      : memory_(dram_bytes(setting), MADV_HUGEPAGE) {
    const std::span<copied_line> lines = memory_.as<copied_line>();
    from_ = lines.first(lines.size() / 2);
    to_ = lines.subspan(lines.size() / 2, from_.size());
    for (std::size_t i = 0; i < from_.size(); ++i) from_[i].words.fill(i);
  }

  std::uint64_t run(unsigned, std::uint64_t iterations, const std::atomic<bool>&) override {
    for (std::uint64_t left = iterations; left > 0;) {
      const std::size_t count = std::min<std::uint64_t>(left, from_.size() - line_);
      add_lines(from_.subspan(line_, count), to_.subspan(line_, count), pass_);
      line_ += count;
      left -= count;
      if (line_ == from_.size()) {
        line_ = 0;
        ++pass_;
      }
    }
    return iterations;
  }
  // Returns the sum of the first words of the copy; pass n adds n to every word.
  [[nodiscard]] std::uint64_t result() const override {
    std::uint64_t sum = 0;
    for (const copied_line& line : to_) sum += line.words[0];
    return sum;
  }
  [[nodiscard]] std::vector<kernel_parameter> parameters() const override {
    return {{"working_set_bytes", from_.size_bytes() + to_.size_bytes()}};
  }

 private:
  private_memory memory_;
  std::span<copied_line> from_;
  std::span<copied_line> to_;
  std::size_t line_ = 0;
  std::uint64_t pass_ = 1;
};

// Floating-point multiplications; every multiplication waits for the previous result. The product
// of the factors is 1 + 2^-40 per pair, so that the value changes and stays in range.
[[gnu::noinline]] double multiply_chain(std::uint64_t iterations, double value) {
  constexpr double factor = 1.5;
  constexpr double back = (1 + 0x1p-40) / factor;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    value = value * factor * back * factor * back * factor * back * factor * back;
  }
  return value;
}

class multiply_chain_kernel : public kernel_base {
 public:
  explicit multiply_chain_kernel(const kernel_settings& setting) : values_(setting.threads) {}

  std::uint64_t run(unsigned thread, std::uint64_t iterations, const std::atomic<bool>&) override {
    values_[thread].value = multiply_chain(iterations, values_[thread].value);
    return iterations;
  }
  [[nodiscard]] std::uint64_t result() const override {
    std::uint64_t sum = 0;
    for (const auto& word : values_) sum += std::bit_cast<std::uint64_t>(word.value);
    return sum;
  }

 private:
  struct alignas(128) chain_value {
    double value = 1;
  };

  std::vector<chain_value> values_;
};

struct alignas(128) generator_states {
  std::array<std::uint64_t, 6> states{seed, seed + 2, seed + 4, seed + 6, seed + 8, seed + 10};
};

// Six independent generators: more parallel work than any core has execution units.
[[gnu::noinline]] void mixed_generators(std::uint64_t iterations, generator_states& generators) {
  auto [a, b, c, d, e, f] = generators.states;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    a = xorshift64(a);
    b = xorshift64(b);
    c = xorshift64(c);
    d = xorshift64(d);
    e = xorshift64(e);
    f = xorshift64(f);
    asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
  }
  generators.states = {a, b, c, d, e, f};
}

class mixed_generators_kernel : public kernel_base {
 public:
  explicit mixed_generators_kernel(const kernel_settings& setting) : generators_(setting.threads) {}

  std::uint64_t run(unsigned thread, std::uint64_t iterations, const std::atomic<bool>&) override {
    mixed_generators(iterations, generators_[thread]);
    return iterations;
  }
  [[nodiscard]] std::uint64_t result() const override {
    std::uint64_t sum = 0;
    for (const auto& generators : generators_) {
      for (const std::uint64_t state : generators.states) sum += state;
    }
    return sum;
  }

 private:
  std::vector<generator_states> generators_;
};

struct alignas(128) machine_state {
  std::uint64_t counter = 0;  // the index into the program
  std::uint64_t a = 1, b = 2, c = 3, d = 4;
};

// Interprets a random program of eight operations. The program is too long for any predictor, so
// that the jump to the next operation is predicted correctly one time in eight.
[[gnu::noinline]] void interpret(std::uint64_t steps, std::span<const std::uint8_t> program,
                                 machine_state& machine) {
  auto [counter, a, b, c, d] = machine;
  for (std::uint64_t step = 0; step < steps; ++step) {
    switch (program[counter]) {
      case 0:
        a += b ^ 5U;
        break;
      case 1:
        b -= c;
        break;
      case 2:
        c ^= d + a;
        break;
      case 3:
        d += 7;
        break;
      case 4:
        a = (a << 3U) - a;
        break;
      case 5:
        b ^= a >> 2U;
        break;
      case 6:
        c = ~c + d;
        break;
      default:
        d -= b | 1U;
        break;
    }
    // Keeps a separate jump target per operation and prevents conditional moves.
    asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
    counter = (counter + 1) & (program.size() - 1);
  }
  machine = {counter, a, b, c, d};
}

class opcode_dispatch_kernel : public kernel_base {
 public:
  explicit opcode_dispatch_kernel(const kernel_settings& setting)
      : program_(program_bytes), machines_(setting.threads) {
    std::uint64_t random = seed;
    for (auto& operation : program_) {
      random = xorshift64(random);
      operation = static_cast<std::uint8_t>(random >> 61U);
    }
  }

  std::uint64_t run(unsigned thread, std::uint64_t iterations, const std::atomic<bool>&) override {
    interpret(iterations, program_, machines_[thread]);
    return iterations;
  }
  [[nodiscard]] std::uint64_t result() const override {
    std::uint64_t sum = 0;
    for (const auto& machine : machines_) sum += machine.a + machine.b + machine.c + machine.d;
    return sum;
  }
  [[nodiscard]] std::vector<kernel_parameter> parameters() const override {
    return {{"program_bytes", std::uint64_t{program_bytes}}};
  }

 private:
  static constexpr std::size_t program_bytes = std::size_t{1} << 20U;

  std::vector<std::uint8_t> program_;
  std::vector<machine_state> machines_;
};

}  // namespace

std::uint64_t table_bytes(std::uint64_t chase_bytes, std::uint64_t limit_bytes) noexcept {
  const std::uint64_t rounded_up = std::bit_ceil(chase_bytes);
  return rounded_up <= limit_bytes ? rounded_up : std::bit_floor(chase_bytes);
}

std::unique_ptr<kernel_base> make_hash_lookups(const kernel_settings& setting) {
  return std::make_unique<hash_lookups_kernel>(setting);
}

std::unique_ptr<kernel_base> make_copy_and_add(const kernel_settings& setting) {
  return std::make_unique<copy_and_add_kernel>(setting);
}

std::unique_ptr<kernel_base> make_multiply_chain(const kernel_settings& setting) {
  return std::make_unique<multiply_chain_kernel>(setting);
}

std::unique_ptr<kernel_base> make_mixed_generators(const kernel_settings& setting) {
  return std::make_unique<mixed_generators_kernel>(setting);
}

std::unique_ptr<kernel_base> make_opcode_dispatch(const kernel_settings& setting) {
  return std::make_unique<opcode_dispatch_kernel>(setting);
}

}  // namespace stallscope::kernels
