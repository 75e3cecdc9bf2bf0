#include "chase.hpp"

#include <algorithm>
#include <barrier>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "base/clock.hpp"
#include "kernels/pinning.hpp"

namespace stallscope::memory {
namespace {

constexpr std::uint64_t ring_seed = 0x5eed;
// For a ring far larger than the caches, this many steps have the same effect as a full walk.
constexpr std::uint64_t most_settling_steps = std::uint64_t{1} << 21U;
constexpr std::uint64_t fewest_steps = 1024;

// The work of one thread, in order of execution.
class ring_walker {
 public:
  ring_walker(const chase_point& point, std::size_t index) : point_(point), index_(index) {}

  void prepare() {
    kernels::pin_to(point_.cpus[index_]);
    memory_ = std::make_unique<ring_memory>(memory_request{
        .bytes = point_.lines * point_.stride_bytes, .pages = point_.pages, .node = point_.node});
    const auto apart = point_.stride_bytes / sizeof(kernels::ChainNode);
    const auto nodes = memory_->nodes().first((point_.lines - 1) * apart + 1);
    kernels::link_randomly(nodes, ring_seed + index_, apart);
    place_ = nodes.data();
    chase_.pages = memory_->pages_got();
    chase_.pages_by_node = memory_->pages_by_node();
  }
  // Warms the caches.
  void settle(std::uint64_t least_ns) noexcept {
    const std::uint64_t steps = std::clamp(2 * point_.lines, fewest_steps, most_settling_steps);
    for (std::uint64_t spent = step(steps); spent < least_ns;) spent += step(steps);
  }
  void choose_steps(std::uint64_t repeat_ns) noexcept {
    std::uint64_t steps = fewest_steps;
    std::uint64_t spent = step(steps);
    while (spent < repeat_ns / 8) {
      steps *= 2;
      spent = step(steps);
    }
    const double wanted = static_cast<double>(repeat_ns) / static_cast<double>(spent);
    chase_.steps =
        std::max(fewest_steps, static_cast<std::uint64_t>(static_cast<double>(steps) * wanted));
  }
  void repeat() noexcept {
    chase_.latency_ns.push_back(static_cast<double>(step(chase_.steps)) /
                                static_cast<double>(chase_.steps));
  }
  void count(const thread_counters& counters) {
    const counter_values counts = counters.read();
    const double steps =
        static_cast<double>(chase_.steps) * static_cast<double>(chase_.latency_ns.size());
    for (std::size_t i = 0; i < counter_count; ++i) {
      if (counts[i]) chase_.counts_per_step[i] = *counts[i] / steps;
    }
    chase_.counter_refusals = counters.refusals();
  }
  [[nodiscard]] const thread_chase& chase() const noexcept { return chase_; }

 private:
  // Returns the duration of the steps in nanoseconds.
  std::uint64_t step(std::uint64_t steps) noexcept {
    const std::uint64_t start_ns = monotonic_ns();
    place_ = kernels::chase_pointers(steps, place_);
    return monotonic_ns() - start_ns;
  }

  const chase_point& point_;
  std::size_t index_;
  std::unique_ptr<ring_memory> memory_;
  const kernels::ChainNode* place_ = nullptr;
  thread_chase chase_;
};

// Synchronizes the threads of a point: they prepare together and start every repeat together.
class ring_walkers {
 public:
  ring_walkers(std::size_t threads, const measurement_pace& pace)
      : pace_(pace), barrier_(static_cast<std::ptrdiff_t>(threads)) {}

  void run(ring_walker& walker) {
    try {
      walker.prepare();
    } catch (...) {
      const std::scoped_lock held(mutex_);
      error_ = std::current_exception();
    }
    barrier_.arrive_and_wait();
    if (error_) return;
    walker.settle(pace_.settle_ns);
    walker.choose_steps(pace_.repeat_ns);
    const thread_counters counters;
    counters.enable();
    for (unsigned i = 0; i < pace_.repeats; ++i) {
      barrier_.arrive_and_wait();
      walker.repeat();
    }
    walker.count(counters);
    barrier_.arrive_and_wait();  // no ring is released while another thread measures
  }
  // `missing` threads could not be created: the others must not wait for them.
  void give_up(std::size_t missing) {
    {
      const std::scoped_lock held(mutex_);
      error_ = std::current_exception();
    }
    for (std::size_t i = 0; i < missing; ++i) barrier_.arrive_and_drop();
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  const measurement_pace& pace_;
  std::barrier<> barrier_;
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

std::vector<thread_chase> measure(const chase_point& point, const measurement_pace& pace) {
  std::vector<std::unique_ptr<ring_walker>> walkers;
  for (std::size_t i = 0; i < point.cpus.size(); ++i) {
    walkers.push_back(std::make_unique<ring_walker>(point, i));
  }
  ring_walkers together(walkers.size(), pace);
  {
    std::vector<std::jthread> threads;
    try {
      for (auto& walker : walkers) {
        threads.emplace_back([&together, &walker] { together.run(*walker); });
      }
    } catch (...) {
      together.give_up(walkers.size() - threads.size());
    }
  }
  together.rethrow();
  std::vector<thread_chase> all;
  all.reserve(walkers.size());
  for (const auto& walker : walkers) all.push_back(walker->chase());
  return all;
}

}  // namespace stallscope::memory
