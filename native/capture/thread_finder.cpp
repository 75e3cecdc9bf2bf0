#include "capture/thread_finder.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace stallscope::capture {
namespace {

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

void note(const column<std::uint64_t>& times, const column<std::uint32_t>& threads,
          column<std::uint64_t>& first) {
  for (std::size_t row = 0; row < times.size(); ++row) {
    std::uint64_t& known = first[threads[row]];
    known = std::min(known, times[row]);
  }
}

}  // namespace

thread_finder::thread_finder(thread_table& threads, const capture_content& content,
                             memory_budget& budget)
    : threads_(threads), appearances_(budget) {
  const auto members = threads.threads();
  column<std::uint64_t> first(budget);
  first.resize(members.size(), never);
  note(content.waits.tasks.time_ns, content.waits.tasks.thread, first);
  note(content.waits.switches.time_ns, content.waits.switches.thread, first);
  note(content.samples.time_ns, content.samples.thread, first);
  for (std::size_t number = 0; number < members.size(); ++number) {
    appearances_.push_back({members[number].tid, static_cast<std::uint32_t>(number),
                            first[number] == never ? 0 : first[number]});
  }
  budget.release(first.size() * sizeof(std::uint64_t));
  std::sort(appearances_.data(), appearances_.data() + appearances_.size(),
            [](const appearance& left, const appearance& right) {
              return std::tie(left.tid, left.first_ns, left.thread) <
                     std::tie(right.tid, right.first_ns, right.thread);
            });
}

std::uint32_t thread_finder::find(std::int32_t tid, std::uint64_t time_ns, std::string_view name) {
  const appearance* const all = appearances_.data();
  if (tid != last_tid_) {
    const auto first = std::partition_point(all, all + appearances_.size(),
                                            [tid](const appearance& row) { return row.tid < tid; });
    const auto end = std::partition_point(first, all + appearances_.size(),
                                          [tid](const appearance& row) { return row.tid == tid; });
    first_ = static_cast<std::size_t>(first - all);
    end_ = static_cast<std::size_t>(end - all);
    last_tid_ = tid;
  }
  std::uint32_t thread = switch_columns::no_thread;
  if (first_ == end_) {
    thread = threads_.intern(-1, tid);
  } else {
    const appearance* const later =
        std::partition_point(all + first_ + 1, all + end_,
                             [time_ns](const appearance& row) { return row.first_ns <= time_ns; });
    thread = (later - 1)->thread;
  }
  if (!name.empty() && threads_.threads()[thread].name.empty()) {
    threads_.rename(thread, name);
  }
  return thread;
}

}  // namespace stallscope::capture
