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
// For a ring much larger than all caches, this many steps leave the caches in the same state as a
// complete walk.
constexpr std::uint64_t max_settling_steps = std::uint64_t{1} << 21U;
constexpr std::uint64_t min_steps = 1024;
// A core can request 10 to 16 lines from memory at once.
constexpr std::size_t prefetch_steps = 16;

// Links every `stride`-th node to the next one, and the last to the first.
void link_ascending(std::span<kernels::chain_node> nodes, std::size_t stride) {
  for (std::size_t i = 0; i + stride < nodes.size(); i += stride)
    nodes[i].next = &nodes[i + stride];
  nodes[(nodes.size() - 1) / stride * stride].next = &nodes[0];
}

// Stores in each node of the ring the node that is `prefetch_steps` ahead.
void note_nodes_ahead(kernels::chain_node& first, std::uint64_t lines) {
  const kernels::chain_node* ahead = &first;
  for (std::size_t i = 0; i < prefetch_steps; ++i) ahead = ahead->next;
  kernels::chain_node* node = &first;
  for (std::uint64_t i = 0; i < lines; ++i) {
    node->ahead = ahead;
    ahead = ahead->next;
    node = const_cast<kernels::chain_node*>(node->next);  // NOLINT: the ring's own memory
  }
}

[[gnu::noinline]] const kernels::chain_node* chase_with_prefetch(std::uint64_t steps,
                                                                 const kernels::chain_node* node) {
  for (std::uint64_t i = 0; i < steps; ++i) {
    __builtin_prefetch(node->ahead);
    node = node->next;
  }
  return node;
}

// The work of one thread. The methods are called in the order of their declaration.
class ring_walker {
 public:
  ring_walker(const chase_point& point, std::size_t index) : point_(point), index_(index) {}

  void prepare() {
    kernels::pin_to(point_.cpus[index_]);
    memory_ = std::make_unique<ring_memory>(memory_request{
        .bytes = point_.lines * point_.stride_bytes, .pages = point_.pages, .node = point_.node});
    const auto stride_nodes = point_.stride_bytes / sizeof(kernels::chain_node);
    const auto nodes = memory_->nodes().first((point_.lines - 1) * stride_nodes + 1);
    if (point_.order == chase_order::ascending) {
      link_ascending(nodes, stride_nodes);
    } else {
      kernels::link_randomly(nodes, ring_seed + index_, stride_nodes);
    }
    if (point_.order == chase_order::prefetched) note_nodes_ahead(nodes.front(), point_.lines);
    node_ = nodes.data();
    chase_.pages = memory_->obtained_pages();
    chase_.pages_by_node = memory_->pages_by_node();
  }
  // Walks the ring until the caches hold what they can.
  void settle(std::uint64_t min_ns) noexcept {
    const std::uint64_t steps = std::clamp(2 * point_.lines, min_steps, max_settling_steps);
    for (std::uint64_t spent = step(steps); spent < min_ns;) spent += step(steps);
  }
  void choose_steps(std::uint64_t repeat_ns) noexcept {
    std::uint64_t steps = min_steps;
    std::uint64_t spent = step(steps);
    while (spent < repeat_ns / 8) {
      steps *= 2;
      spent = step(steps);
    }
    const double scale = static_cast<double>(repeat_ns) / static_cast<double>(spent);
    chase_.steps =
        std::max(min_steps, static_cast<std::uint64_t>(static_cast<double>(steps) * scale));
  }
  void repeat() noexcept {
    chase_.latency_ns.push_back(static_cast<double>(step(chase_.steps)) /
                                static_cast<double>(chase_.steps));
  }
  void count(const thread_counters& counters) {
    const double steps =
        static_cast<double>(chase_.steps) * static_cast<double>(chase_.latency_ns.size());
    chase_.counts_per_step = counters.read();
    for (event_count& event : chase_.counts_per_step) {
      if (event.count) *event.count /= steps;
    }
  }
  [[nodiscard]] const thread_chase& chase() const noexcept { return chase_; }

 private:
  // Takes `steps` steps and returns their duration in ns.
  std::uint64_t step(std::uint64_t steps) noexcept {
    const std::uint64_t start_ns = monotonic_ns();
    node_ = point_.order == chase_order::prefetched ? chase_with_prefetch(steps, node_)
                                                    : kernels::chase_pointers(steps, node_);
    return monotonic_ns() - start_ns;
  }

  const chase_point& point_;
  std::size_t index_;
  std::unique_ptr<ring_memory> memory_;
  const kernels::chain_node* node_ = nullptr;
  thread_chase chase_;
};

// The state shared by the threads of a point. All threads prepare before the first measures, and
// all begin a repeat at the same time.
class walker_group {
 public:
  walker_group(std::size_t threads, const measurement_pace& pace,
               std::span<const perf_events::event_spec> events)
      : pace_(pace), events_(events), barrier_(static_cast<std::ptrdiff_t>(threads)) {}

  void run(ring_walker& walker) {
    try {
      walker.prepare();
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      error_ = std::current_exception();
    }
    barrier_.arrive_and_wait();
    if (error_) return;
    walker.settle(pace_.settle_ns);
    walker.choose_steps(pace_.repeat_ns);
    const thread_counters counters{events_};
    counters.enable();
    for (unsigned i = 0; i < pace_.repeats; ++i) {
      barrier_.arrive_and_wait();
      walker.repeat();
    }
    walker.count(counters);
    barrier_.arrive_and_wait();  // no ring is unmapped while a thread still measures
  }
  // Stores the current exception and releases the threads from waiting for `missing` threads that
  // were not created.
  void abandon(std::size_t missing) {
    {
      const std::scoped_lock lock(mutex_);
      error_ = std::current_exception();
    }
    for (std::size_t i = 0; i < missing; ++i) barrier_.arrive_and_drop();
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  const measurement_pace& pace_;
  std::span<const perf_events::event_spec> events_;
  std::barrier<> barrier_;
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

std::vector<thread_chase> measure(const chase_point& point, const measurement_pace& pace,
                                  std::span<const perf_events::event_spec> events) {
  std::vector<std::unique_ptr<ring_walker>> walkers;
  for (std::size_t i = 0; i < point.cpus.size(); ++i) {
    walkers.push_back(std::make_unique<ring_walker>(point, i));
  }
  walker_group group(walkers.size(), pace, events);
  {
    std::vector<std::jthread> threads;
    try {
      for (auto& walker : walkers) {
        threads.emplace_back([&group, &walker] { group.run(*walker); });
      }
    } catch (...) {
      group.abandon(walkers.size() - threads.size());
    }
  }
  group.rethrow();
  std::vector<thread_chase> chases;
  chases.reserve(walkers.size());
  for (const auto& walker : walkers) chases.push_back(walker->chase());
  return chases;
}

}  // namespace stallscope::memory
