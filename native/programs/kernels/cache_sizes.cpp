#include "kernels/cache_sizes.hpp"

#include <charconv>
#include <fstream>
#include <string>

namespace stallscope::kernels {
namespace {

constexpr std::uint64_t min_bytes = std::uint64_t{1} << 10U;
constexpr std::uint64_t max_bytes = std::uint64_t{16} << 30U;

std::string first_word(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file.width(64);  // sysfs files have no longer words
  file >> word;
  return word;
}

// Parses "32K", "2M" or "4096"; returns 0 if the text is not a size.
std::uint64_t parse_size(const std::string& text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || number > max_bytes) return 0;
  if (rest == end) return number;
  if (rest + 1 != end) return 0;
  if (*rest == 'K') return number << 10U;
  if (*rest == 'M') return number << 20U;
  return *rest == 'G' ? number << 30U : 0;
}

cache_size* size_at(cache_sizes& sizes, const std::string& level, const std::string& type) {
  if (level == "1" && type == "Data") return &sizes.l1d;
  if (level == "1" && type == "Instruction") return &sizes.l1i;
  if (level == "2" && type != "Instruction") return &sizes.l2;
  if (level == "3" && type != "Instruction") return &sizes.l3;
  return nullptr;
}

}  // namespace

cache_sizes read_cache_sizes(const std::string& cpu_directory) {
  constexpr int max_caches = 16;
  cache_sizes sizes;
  for (int i = 0; i < max_caches; ++i) {
    const std::string index = cpu_directory + "/cache/index" + std::to_string(i);
    cache_size* size = size_at(sizes, first_word(index + "/level"), first_word(index + "/type"));
    const std::uint64_t bytes = parse_size(first_word(index + "/size"));
    if (size == nullptr || bytes < min_bytes || bytes > max_bytes) continue;
    *size = {.bytes = bytes, .known = true};
  }
  return sizes;
}

}  // namespace stallscope::kernels
