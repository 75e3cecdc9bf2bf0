// Adapts the rate of windows to the CPU time that the recorder itself is measured to use: the costs
// that the budget assumes differ between machines. Pure computation. Any thread.
//
//   window_pace pace{excess.own_share};
//   windows.set_pace(pace.observe(monotonic_ns(), process_cpu_ns()));
#pragma once

#include <cstdint>
#include <optional>

namespace stallscope::collect {

class window_pace {
 public:
  // `allowed_share`: of a CPU.
  explicit window_pace(double allowed_share) : allowed_share_{allowed_share} {}

  // Returns the factor of the gaps between windows, from 1 to 3. It changes at most once per second
  // and by at most a half, so that a single expensive second has little influence.
  double observe(std::uint64_t at_ns, std::uint64_t used_ns);

 private:
  struct reading {
    std::uint64_t at_ns = 0;
    std::uint64_t used_ns = 0;
  };

  double allowed_share_;
  double factor_ = 1;
  std::optional<reading> last_;
};

}  // namespace stallscope::collect
