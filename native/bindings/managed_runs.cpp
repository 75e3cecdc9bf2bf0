#include "managed_runs.hpp"

#include <algorithm>

namespace stallscope::bindings {

capture::managed_samples managed_of(const managed_arrays& from) {
  const auto& [time_ns, tid, offset, runs] = from;
  capture::managed_samples into;
  into.time_ns.assign(time_ns.data(), time_ns.data() + time_ns.size());
  into.tid.assign(tid.data(), tid.data() + tid.size());
  into.offset.assign(offset.data(), offset.data() + offset.size());
  for (std::size_t row = 0; row < runs.shape(0); ++row) {
    const std::uint64_t* run = runs.data() + 6 * row;
    into.runs.push_back({run[0], run[1], run[2], run[3], run[4], run[5]});
  }
  const bool fits = into.tid.size() == into.time_ns.size() &&
                    into.offset.size() == into.time_ns.size() + 1 &&
                    std::is_sorted(into.time_ns.begin(), into.time_ns.end()) &&
                    std::is_sorted(into.offset.begin(), into.offset.end()) &&
                    into.offset.back() <= into.runs.size();
  if (!fits) throw nb::value_error("managed: the arrays do not fit together");
  return into;
}

std::unordered_map<std::int32_t, capture::interpreter> interpreters_of(
    const interpreter_arrays& from) {
  const auto& [loops, codes] = from;
  std::unordered_map<std::int32_t, capture::interpreter> into;
  for (std::size_t row = 0; row < loops.shape(0); ++row) {
    const std::uint64_t* loop = loops.data() + 4 * row;
    into[static_cast<std::int32_t>(loop[0])].loop = {loop[1], loop[2],
                                                     static_cast<unsigned>(loop[3])};
  }
  for (std::size_t row = 0; row < codes.shape(0); ++row) {
    const std::uint64_t* code = codes.data() + 4 * row;
    const auto process = into.find(static_cast<std::int32_t>(code[0]));
    if (process == into.end()) continue;
    auto& known = process->second.codes;
    if (code[2] < code[1] || (!known.empty() && known.back().end >= code[1]))
      throw nb::value_error("interpreters: the codes of a process must be ascending and disjoint");
    known.push_back({code[1], code[2], code[3]});
  }
  return into;
}

}  // namespace stallscope::bindings
