// When the loader did nothing, and for how much of the time from some moment on. Each call costs a
// few ns on the average, memory at most 64 KiB. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace stallscope::load {

class absences {
 public:
  // Of a time told before only what goes beyond it counts. Where more than `most` are kept, the two
  // last ones become one as long as both, up to the end of the later.
  void add(std::uint64_t from_ns, std::uint64_t to_ns);
  // How long it was absent from that time on. What was over by then is forgotten: later calls are
  // to ask from that time or later ones.
  [[nodiscard]] std::uint64_t since(std::uint64_t time_ns);

  static constexpr std::size_t most = 4096;

 private:
  struct interval {
    std::uint64_t from_ns;
    std::uint64_t to_ns;
  };

  std::deque<interval> kept_;  // apart from each other, in order
  std::uint64_t last_ns_ = 0;  // when the latest ended
  std::uint64_t total_ns_ = 0;
};

}  // namespace stallscope::load
