// The measurements of requests by their own threads, and the answer that a diagnosis of slow
// requests must give: by how much requests above the 99th percentile are longer than those between
// the 40th and the 60th, and how much of that is the extra work. 16 bytes per request, at most
// 1 Mi requests. One thread adds; any thread after it has ended may merge.
//
//   account.add(wall_ns, extra_ns);
//   for (const auto& parameter : merged.parameters()) ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

class request_account {
 public:
  void add(std::uint64_t wall_ns, std::uint64_t extra_ns);
  void merge(const request_account& other);
  // Number of requests, and of both classes the mean wall time and the mean extra work.
  [[nodiscard]] std::vector<kernel_parameter> parameters() const;

 private:
  struct request {
    std::uint64_t wall_ns;
    std::uint64_t extra_ns;
  };
  static constexpr std::size_t max_requests = std::size_t{1} << 20U;
  std::vector<request> requests_;
};

}  // namespace stallscope::kernels
