// `stallscope-ioqueue overhead`: 4 KiB requests in a closed loop over a device that completes all
// it was given whenever it is waited for, through the queue or without it; the difference is what
// the queue costs, its readings of the clock included. Two classes with shares and a limit of half
// the depth, so that every request also waits and takes its turn. Prints one JSON line:
//   {"kind": "overhead", "way", "depth", "requests", "cpu_ns_per_request"}
#include "overhead.hpp"

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/clock.hpp"
#include "base/failure.hpp"
#include "exchange.hpp"
#include "ioqueue/queue.hpp"

namespace stallscope::ioqueue {
namespace {

constexpr std::uint64_t request_bytes = 4096;

class prompt_device final : public device {
 public:
  bool start(operation& begun) override {
    started_.push_back(&begun);
    return true;
  }
  void cancel(operation& /*unwanted*/) noexcept override {}
  void wait() {
    ending_.swap(started_);
    for (operation* one : ending_) one->complete(static_cast<std::int64_t>(one->piece.size_bytes));
    ending_.clear();
  }

 private:
  std::vector<operation*> started_;
  std::vector<operation*> ending_;
};

class through_queue {
 public:
  explicit through_queue(unsigned depth)
      : line_{device_, clock_, {.limit = std::max(1U, depth / 2)}} {
    const class_id classes[]{line_.add_class({.name = "one", .most_queued = depth}),
                             line_.add_class({.name = "other", .most_queued = depth})};
    for (unsigned slot = 0; slot < depth; ++slot) {
      again& added = requests_.emplace_back(*this, classes[slot % 2]);
      added.io.size_bytes = request_bytes;
      submit(added);
    }
  }
  void turn() {
    line_.dispatch();
    device_.wait();
  }
  [[nodiscard]] std::uint64_t done() const noexcept { return done_; }

 private:
  class again final : public request {
   public:
    again(through_queue& owner, class_id number) : owner_{owner}, number_{number} {}
    void settled(outcome /*how*/, std::int64_t /*result*/) override {
      ++owner_.done_;
      owner_.submit(*this);
    }
    [[nodiscard]] class_id number() const noexcept { return number_; }

   private:
    through_queue& owner_;
    class_id number_;
  };
  void submit(again& next) { (void)line_.submit(next.number(), next); }  // there is room

  prompt_device device_;
  monotonic_time clock_;
  queue line_;
  std::deque<again> requests_;
  std::uint64_t done_ = 0;
};

class without_queue final : private completion_sink {
 public:
  explicit without_queue(unsigned depth) {
    for (unsigned slot = 0; slot < std::max(1U, depth / 2); ++slot) {
      operation& added = operations_.emplace_back(static_cast<completion_sink&>(*this));
      added.piece.size_bytes = request_bytes;
      (void)device_.start(added);
    }
  }
  void turn() { device_.wait(); }
  [[nodiscard]] std::uint64_t done() const noexcept { return done_; }

 private:
  void completed(operation& ended, std::int64_t /*result*/) override {
    ++done_;
    (void)device_.start(ended);
  }

  prompt_device device_;
  std::deque<operation> operations_;
  std::uint64_t done_ = 0;
};

template <typename Loop>
double cpu_ns_per_request(unsigned depth, std::uint64_t requests) {
  Loop loop{depth};
  while (loop.done() < requests / 10) loop.turn();
  const std::uint64_t warm = loop.done();
  const std::uint64_t begun_ns = thread_cpu_ns();
  while (loop.done() < warm + requests) loop.turn();
  return static_cast<double>(thread_cpu_ns() - begun_ns) / static_cast<double>(loop.done() - warm);
}

}  // namespace

int overhead(const overhead_options& options) {
  const double cpu_ns = options.way == "bare"
                            ? cpu_ns_per_request<without_queue>(options.depth, options.requests)
                            : cpu_ns_per_request<through_queue>(options.depth, options.requests);
  print(nlohmann::ordered_json{{"kind", "overhead"},
                               {"way", options.way},
                               {"depth", options.depth},
                               {"requests", options.requests},
                               {"cpu_ns_per_request", cpu_ns}});
  return static_cast<int>(exit_code::done);
}

}  // namespace stallscope::ioqueue
