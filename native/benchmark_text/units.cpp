#include "benchmark_text/units.hpp"

namespace stallscope::benchmark_text {

base_unit to_base_unit(std::string_view unit) {
  base_unit result{.unit = {}, .factor = 1};
  bool denominator = false;
  std::size_t begin = 0;
  while (begin <= unit.size()) {
    std::size_t end = unit.find_first_of("*/-", begin);
    if (end == std::string_view::npos) {
      end = unit.size();
    }
    const std::string_view word = unit.substr(begin, end - begin);
    if (word == "ns" && !denominator) {
      result.unit += "sec";
      result.factor /= 1e9;
    } else if (word == "MB" && !denominator) {
      result.unit += "B";
      result.factor *= 1e6;
    } else {
      result.unit += word;
    }
    if (end < unit.size()) {
      result.unit += unit[end];
      denominator = unit[end] == '/' || (denominator && unit[end] == '-');
    }
    begin = end + 1;
  }
  return result;
}

}  // namespace stallscope::benchmark_text
