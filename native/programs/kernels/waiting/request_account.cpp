#include "kernels/waiting/request_account.hpp"

#include <algorithm>
#include <string>

namespace stallscope::kernels {

void request_account::add(std::uint64_t wall_ns, std::uint64_t extra_ns) {
  if (requests_.size() < max_requests) requests_.push_back({wall_ns, extra_ns});
}

void request_account::merge(const request_account& other) {
  for (const request& measured : other.requests_) add(measured.wall_ns, measured.extra_ns);
}

std::vector<kernel_parameter> request_account::parameters() const {
  auto sorted = requests_;
  std::sort(sorted.begin(), sorted.end(),
            [](const request& a, const request& b) { return a.wall_ns < b.wall_ns; });
  std::vector<kernel_parameter> values{{"requests", std::uint64_t{sorted.size()}}};
  const auto add_class = [&](const std::string& name, std::size_t begin, std::size_t end) {
    std::uint64_t wall_ns = 0;
    std::uint64_t extra_ns = 0;
    for (std::size_t i = begin; i < end; ++i) {
      wall_ns += sorted[i].wall_ns;
      extra_ns += sorted[i].extra_ns;
    }
    const std::uint64_t count = std::max<std::size_t>(end - begin, 1);
    values.push_back({name + "_requests", std::uint64_t{end - begin}});
    values.push_back({name + "_wall_ns", wall_ns / count});
    values.push_back({name + "_extra_ns", extra_ns / count});
  };
  const std::size_t count = sorted.size();
  add_class("slow", count * 99 / 100, count);
  add_class("median", count * 2 / 5, count * 3 / 5);
  return values;
}

}  // namespace stallscope::kernels
