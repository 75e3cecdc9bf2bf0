#include "kernels/code_footprint.hpp"

#include "kernels/code_blocks.hpp"

namespace stallscope::kernels {
namespace {

// An iteration is a pass through a large function.
class code_passes_kernel : public kernel_base {
 public:
  using loop_function = std::uint64_t (*)(std::uint64_t value);
  struct footprint_size {
    std::uint64_t bytes;
    std::uint64_t additions;
  };
  code_passes_kernel(loop_function function, footprint_size size, const kernel_settings& setting)
      : function_(function), size_(size), l1i_(setting.caches.l1i), words_(setting.threads) {}

  std::uint64_t run(unsigned thread, std::uint64_t iterations, const std::atomic<bool>&) override {
    auto& value = words_[thread].value;
    for (std::uint64_t i = 0; i < iterations; ++i) value = function_(value);
    return iterations;
  }
  [[nodiscard]] std::uint64_t result() const override {
    std::uint64_t sum = 0;
    for (const auto& word : words_) sum += word.value;
    return sum;
  }
  [[nodiscard]] std::vector<kernel_parameter> parameters() const override {
    return {{"code_bytes", size_.bytes},
            {"additions_per_iteration", size_.additions},
            {l1i_.known ? "l1i_bytes" : "l1i_bytes_assumed", l1i_.bytes}};
  }

 private:
  loop_function function_;
  footprint_size size_;
  cache_size l1i_;
  std::vector<thread_word> words_;
};

}  // namespace

std::unique_ptr<kernel_base> make_large_straight_code(const kernel_settings& setting) {
  constexpr code_passes_kernel::footprint_size size{
      .bytes = straight_units * straight_unit_bytes,
      .additions = straight_units * additions_per_unit};
  return std::make_unique<code_passes_kernel>(stallscope_straight_code, size, setting);
}

std::unique_ptr<kernel_base> make_large_branchy_code(const kernel_settings& setting) {
  const code_passes_kernel::footprint_size size{
      .bytes = (setting.cured ? compact_blocks : branchy_blocks) * branchy_block_bytes,
      .additions = branchy_blocks * additions_per_block};
  const auto function = setting.cured ? stallscope_compact_code : stallscope_branchy_code;
  return std::make_unique<code_passes_kernel>(function, size, setting);
}

}  // namespace stallscope::kernels
