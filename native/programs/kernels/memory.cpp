#include "kernels/memory.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/private_memory.hpp"
#include "kernels/work.hpp"

namespace stallscope::kernels {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;
constexpr std::uint64_t ring_seed = 0x5eed;

kernel_parameter cache_parameter(const std::string& name, const cache_size& size) {
  if (size.known) return {name + "_bytes", size.bytes};
  return {name + "_bytes_assumed", size.bytes};
}

std::vector<kernel_parameter> data_caches(const cache_sizes& caches) {
  return {cache_parameter("l1d", caches.l1d), cache_parameter("l2", caches.l2),
          cache_parameter("l3", caches.l3)};
}

// Links the nodes in the order of their addresses, which prefetchers predict.
void link_in_order(std::span<chain_node> nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].next = &nodes[(i + 1) % nodes.size()];
    nodes[i].ahead = nodes[i].next;
  }
}

// A ring of cache lines in random order, linked before the first run. The threads share the ring
// and start at different nodes. The memory is advised to use huge pages, so that the latency is
// that of the caches and not of address translation.
class pointer_chase_kernel : public kernel_base {
 public:
  pointer_chase_kernel(const kernel_settings& setting, std::uint64_t bytes)
      : caches_(setting.caches),
        memory_(bytes, MADV_HUGEPAGE),
        ring_(memory_.as<chain_node>()),
        positions_(setting.threads) {
    if (setting.cured)
      link_in_order(ring_);
    else
      link_randomly(ring_, ring_seed);
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      positions_[i].node = &ring_[ring_.size() / positions_.size() * i];
    }
  }

  std::uint64_t run(unsigned thread, std::uint64_t iterations, const std::atomic<bool>&) override {
    positions_[thread].node = chase_pointers(iterations, positions_[thread].node);
    return iterations;
  }
  // Returns the sum of the threads' positions in the ring's memory.
  [[nodiscard]] std::uint64_t result() const override {
    std::uint64_t sum = 0;
    for (const auto& position : positions_) {
      sum += static_cast<std::uint64_t>(position.node - ring_.data());
    }
    return sum;
  }
  [[nodiscard]] std::vector<kernel_parameter> parameters() const override {
    std::vector<kernel_parameter> parameters = {{"working_set_bytes", ring_.size_bytes()},
                                                {"stride", std::string("random lines")}};
    for (auto& parameter : data_caches(caches_)) parameters.push_back(std::move(parameter));
    return parameters;
  }

 private:
  struct alignas(128) position {
    const chain_node* node = nullptr;
  };

  cache_sizes caches_;
  private_memory memory_;
  std::span<chain_node> ring_;
  std::vector<position> positions_;
};

struct stream_line {
  std::array<std::uint64_t, 8> words;
};

// Four sums, so that the loads limit the speed and not the additions.
[[gnu::noinline]] std::uint64_t sum_lines(std::span<const stream_line> lines) {
  std::uint64_t a = 0, b = 0, c = 0, d = 0;
  for (const stream_line& line : lines) {
    a += line.words[0] + line.words[4];
    b += line.words[1] + line.words[5];
    c += line.words[2] + line.words[6];
    d += line.words[3] + line.words[7];
  }
  return a + b + c + d;
}

// Reads an array repeatedly from start to end; an iteration is one line of 64 bytes.
class streaming_kernel : public kernel_base {
 public:
  explicit streaming_kernel(const kernel_settings& setting)
      : caches_(setting.caches),
        memory_(working_sets_of(setting.caches, setting.memory_limit_bytes).dram, MADV_HUGEPAGE),
        lines_(memory_.as<stream_line>()),
        positions_(setting.threads) {
    for (std::size_t i = 0; i < lines_.size(); ++i) lines_[i].words.fill(i);
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      positions_[i].line = lines_.size() / positions_.size() * i;
    }
  }

  std::uint64_t run(unsigned thread, std::uint64_t iterations, const std::atomic<bool>&) override {
    auto& [line, sum] = positions_[thread];
    for (std::uint64_t left = iterations; left > 0;) {
      const std::size_t count = std::min<std::uint64_t>(left, lines_.size() - line);
      sum += sum_lines(lines_.subspan(line, count));
      line = (line + count) % lines_.size();
      left -= count;
    }
    return iterations;
  }
  [[nodiscard]] std::uint64_t result() const override {
    std::uint64_t sum = 0;
    for (const auto& position : positions_) sum += position.sum;
    return sum;
  }
  [[nodiscard]] std::vector<kernel_parameter> parameters() const override {
    std::vector<kernel_parameter> parameters = {
        {"working_set_bytes", lines_.size_bytes()},
        {"bytes_per_iteration", std::uint64_t{sizeof(stream_line)}}};
    for (auto& parameter : data_caches(caches_)) parameters.push_back(std::move(parameter));
    return parameters;
  }

 private:
  struct alignas(128) position {
    std::size_t line = 0;
    std::uint64_t sum = 0;
  };

  cache_sizes caches_;
  private_memory memory_;
  std::span<stream_line> lines_;
  std::vector<position> positions_;
};

// Writes a word as two halves and reads the whole word. No single store covers the load, so that
// the load waits until both stores have reached the cache. The empty asm statements prevent the
// compiler from merging the halves.
[[gnu::noinline]] std::uint64_t read_split_stores(std::uint64_t iterations, std::uint64_t value) {
  alignas(64) std::array<std::uint32_t, 2> halves{};
  for (std::uint64_t i = 0; i < iterations; ++i) {
    halves[0] = static_cast<std::uint32_t>(value);
    asm volatile("" : "+m"(halves));
    halves[1] = static_cast<std::uint32_t>(value >> 32U);
    asm volatile("" : "+m"(halves));
    std::memcpy(&value, halves.data(), sizeof value);
    value += 3;
  }
  return value;
}

class store_forwarding_kernel : public kernel_base {
 public:
  explicit store_forwarding_kernel(const kernel_settings& setting) : words_(setting.threads) {}

  std::uint64_t run(unsigned thread, std::uint64_t iterations, const std::atomic<bool>&) override {
    words_[thread].value = read_split_stores(iterations, words_[thread].value);
    return iterations;
  }
  [[nodiscard]] std::uint64_t result() const override {
    std::uint64_t sum = 0;
    for (const auto& word : words_) sum += word.value;
    return sum;
  }

 private:
  std::vector<thread_word> words_;
};

working_sets sets_for(const kernel_settings& setting) noexcept {
  return working_sets_of(setting.caches, setting.memory_limit_bytes);
}

}  // namespace

working_sets working_sets_of(const cache_sizes& caches, std::uint64_t limit_bytes) noexcept {
  working_sets sets;
  sets.l1 = caches.l1d.bytes / 2;
  sets.l2 = std::max(caches.l2.bytes / 2, 2 * caches.l1d.bytes);
  sets.l3 = std::max(std::min(4 * caches.l2.bytes, caches.l3.bytes / 2), 2 * caches.l2.bytes);
  sets.dram = std::clamp(4 * caches.l3.bytes, 64 * mebibyte, 2048 * mebibyte);
  for (auto* set : {&sets.l1, &sets.l2, &sets.l3, &sets.dram}) {
    *set = std::max(std::min(*set, limit_bytes), 2 * std::uint64_t{sizeof(chain_node)});
  }
  return sets;
}

std::unique_ptr<kernel_base> make_pointer_chase_l1(const kernel_settings& setting) {
  return std::make_unique<pointer_chase_kernel>(setting, sets_for(setting).l1);
}

std::unique_ptr<kernel_base> make_pointer_chase_l2(const kernel_settings& setting) {
  return std::make_unique<pointer_chase_kernel>(setting, sets_for(setting).l2);
}

std::unique_ptr<kernel_base> make_pointer_chase_l3(const kernel_settings& setting) {
  return std::make_unique<pointer_chase_kernel>(setting, sets_for(setting).l3);
}

std::unique_ptr<kernel_base> make_pointer_chase_dram(const kernel_settings& setting) {
  return std::make_unique<pointer_chase_kernel>(setting, sets_for(setting).dram);
}

std::unique_ptr<kernel_base> make_streaming(const kernel_settings& setting) {
  return std::make_unique<streaming_kernel>(setting);
}

std::unique_ptr<kernel_base> make_store_forwarding(const kernel_settings& setting) {
  return std::make_unique<store_forwarding_kernel>(setting);
}

}  // namespace stallscope::kernels
