// `stallscope-ioqueue overhead`: 4 KiB requests in a closed loop to a device that completes all
// started requests at the next wait, with or without the queue. The difference is the cost of the
// queue, including its reads of the clock. Two classes with shares and a limit of half the depth
// make every request wait for its turn. Prints one JSON line:
//   {"kind": "overhead", "way", "depth", "requests", "cpu_ns_per_request"}
#include "overhead.hpp"
#include "base/json.hpp"

#include <algorithm>
#include <deque>
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
  bool start(operation& operation) override {
    started_.push_back(&operation);
    return true;
  }
  void cancel(operation& /*operation*/) noexcept override {}
  void wait() {
    ending_.swap(started_);
    for (operation* ended : ending_) {
      ended->complete(static_cast<std::int64_t>(ended->piece.size_bytes));
    }
    ending_.clear();
  }

 private:
  std::vector<ioqueue::operation*> started_;
  std::vector<ioqueue::operation*> ending_;
};

class queue_loop {
 public:
  explicit queue_loop(unsigned depth)
      : queue_{device_, clock_, {.limit = std::max(1U, depth / 2)}} {
    const class_id classes[]{queue_.add_class({.name = "first", .max_queued = depth}),
                             queue_.add_class({.name = "second", .max_queued = depth})};
    for (unsigned slot = 0; slot < depth; ++slot) {
      loop_request& request = requests_.emplace_back(*this, classes[slot % 2]);
      request.io.size_bytes = request_bytes;
      submit(request);
    }
  }
  void turn() {
    queue_.dispatch();
    device_.wait();
  }
  [[nodiscard]] std::uint64_t done() const noexcept { return done_; }

 private:
  class loop_request final : public request {
   public:
    loop_request(queue_loop& owner, class_id id) : owner_{owner}, class_{id} {}
    void settled(outcome /*outcome*/, std::int64_t /*result*/) override {
      ++owner_.done_;
      owner_.submit(*this);
    }
    [[nodiscard]] class_id class_of() const noexcept { return class_; }

   private:
    queue_loop& owner_;
    class_id class_;
  };
  void submit(loop_request& request) {
    (void)queue_.submit(request.class_of(), request);
  }  // never full

  prompt_device device_;
  monotonic_time clock_;
  queue queue_;
  std::deque<loop_request> requests_;
  std::uint64_t done_ = 0;
};

class bare_loop final : private completion_sink {
 public:
  explicit bare_loop(unsigned depth) {
    for (unsigned slot = 0; slot < std::max(1U, depth / 2); ++slot) {
      operation& operation = operations_.emplace_back(static_cast<completion_sink&>(*this));
      operation.piece.size_bytes = request_bytes;
      (void)device_.start(operation);
    }
  }
  void turn() { device_.wait(); }
  [[nodiscard]] std::uint64_t done() const noexcept { return done_; }

 private:
  void completed(operation& operation, std::int64_t /*result*/) override {
    ++done_;
    (void)device_.start(operation);
  }

  prompt_device device_;
  std::deque<operation> operations_;
  std::uint64_t done_ = 0;
};

template <typename Loop>
double cpu_ns_per_request(unsigned depth, std::uint64_t requests) {
  Loop loop{depth};
  while (loop.done() < requests / 10) loop.turn();
  const std::uint64_t warmup_requests = loop.done();
  const std::uint64_t begun_ns = thread_cpu_ns();
  while (loop.done() < warmup_requests + requests) loop.turn();
  return static_cast<double>(thread_cpu_ns() - begun_ns) /
         static_cast<double>(loop.done() - warmup_requests);
}

}  // namespace

int overhead(const overhead_options& options) {
  const double cpu_ns = options.mode == "bare"
                            ? cpu_ns_per_request<bare_loop>(options.depth, options.requests)
                            : cpu_ns_per_request<queue_loop>(options.depth, options.requests);
  print(json{{"kind", "overhead"},
             {"way", options.mode},
             {"depth", options.depth},
             {"requests", options.requests},
             {"cpu_ns_per_request", cpu_ns}});
  return static_cast<int>(exit_code::done);
}

}  // namespace stallscope::ioqueue
