// An execution stage: a function whose calls are queued and run in batches, so that its code is
// loaded into the instruction cache once per batch instead of once per call.
//
//     struct parse_handler {
//       using call = request*;
//       void run(request* next) { ... }
//       void failed(request* next, std::exception_ptr error) noexcept { ... }
//     };
//     stage_registry registry(loop);
//     execution_stage<parse_handler> parse(registry, "parse", {});
//     parse.enqueue(&request);                       // runs in a later task of the loop
//
// A call is queued, and a task is scheduled unless one is pending. Calls that arrive before the
// task runs join its batch; calls that the batch itself makes wait for the next batch. After each
// call the task checks its quota; when it is used up, the remaining calls wait for the next task of
// the stage, behind the tasks that are already scheduled. Every call runs once, in order of
// arrival. A call that finds the queue at its limit first runs queued calls inline, at least one,
// until the queue is empty or the quota is used up.
//
// Cost: about 30 instructions per call, no allocation, no clock read (delays come from the cached
// clock of the scheduler, so they are as coarse as tasks are long). Latency: a call waits for the
// calls before it in its batch and for the tasks scheduled before. With b calls per batch and s
// stages of c ns each, the first reply leaves after about b*s*c ns instead of s*c. The last reply
// leaves no later than without stages, and earlier by what the cache saves. A batch is at most one
// quota long, unless a single call is longer. If calls arrive one at a time, batches have one call;
// a caller that knows this uses run_single(), which costs about 20 instructions.
//
// Thread: that of the scheduler. Use it for code that misses the instruction cache when each
// request runs through all of it, in stages whose code fits into the cache (docs/stages.md).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "stages/call_queue.hpp"
#include "stages/stage.hpp"

namespace stallscope::stages {

// A stage calls run() for each call. If run() throws, it calls failed() with the exception on the
// same thread, before the next call runs.
template <typename Handler>
concept call_handler = std::movable<typename Handler::call> &&
    requires(Handler handler, typename Handler::call& call, std::exception_ptr thrown) {
  handler.run(call);
  { handler.failed(call, thrown) }
  noexcept;
};

template <typename Handler>
class execution_stage final : public stage {
  // here and not in the template head: a handler may hold a pointer to its own stage
  static_assert(call_handler<Handler>);

 public:
  using call = typename Handler::call;

  execution_stage(stage_registry& registry, std::string name, Handler handler)
      : stage(registry, std::move(name)),
        handler_(std::move(handler)),
        queue_(settings_.queue_limit),
        slow_path_from_(settings_.max_batch == 1 ? 0 : settings_.queue_limit) {}

  // Queues a call. Runs queued calls inline only if max_batch is 1 or the queue is at its limit. A
  // call made by the function of the stage itself is always queued, even beyond the limit; only
  // then may enqueue() throw std::bad_alloc.
  void enqueue(call added) {
    tally_.enqueued.add(1);
    if (queue_.used() >= slow_path_from_) {
      enqueue_slow(std::move(added));
    } else {
      add_to_queue(std::move(added));
    }
  }

  // Runs `work` immediately as a batch of one that bypasses queue and scheduler. Only for callers
  // that know that this stage has no queued call and that the thread has no other work. `work`
  // returns false if it failed.
  template <typename Work>
  void run_single(Work work) noexcept {
    static_assert(std::is_nothrow_invocable_r_v<bool, Work>);
    tally_.enqueued.add(1);
    running_ = true;
    if (!work()) tally_.failed.add(1);
    running_ = false;
    tally_.delay(0, 1);
    count_batch(1);
  }

  [[nodiscard]] std::size_t queued() const noexcept override { return queue_.size(); }

  void run_queued(std::size_t most) override {
    while (!running_ && !queue_.empty() && most != 0) {
      most -= run_batch(most);
    }
  }

  [[nodiscard]] Handler& handler() noexcept { return handler_; }

 private:
  struct entry {
    call queued_call{};
    std::int64_t since_ns = 0;
  };

  void add_to_queue(call added) {
    queue_.push_within_room({std::move(added), now_ns()});
    schedule();
  }

  // The slow path of enqueue(): runs the call, or makes room for it in the queue.
  [[gnu::noinline]] void enqueue_slow(call added) {
    if (!running_ && settings_.max_batch == 1 && queue_.empty()) {
      run_at_once(added);
      return;
    }
    if (!running_ && queue_.size() >= settings_.queue_limit) {
      tally_.flushed_inline.add(1);
      run_batch(queue_.size());
    }
    queue_.make_room();
    add_to_queue(std::move(added));
  }

  void run_at_once(call& only) {
    running_ = true;
    begin_batch();
    tally_.delay(0, 1);
    run_call(only);
    end_batch(1);
    running_ = false;
  }

  void run_task() override {
    if (running_ || queue_.empty()) {
      return;  // already run
    }
    const auto expected = std::min(settings_.max_batch, queue_.size());
    if (run_batch(settings_.max_batch) < expected) {
      tally_.preempted.add(1);
    }
    if (!queue_.empty()) {
      schedule();
    }
  }

  // Returns the number of calls run: at least one, and all of them unless the quota is used up.
  std::size_t run_batch(std::size_t most) {
    running_ = true;
    const auto now = begin_batch();
    std::int64_t since = now;
    std::size_t alike = 0;  // calls with the same delay are counted together
    const std::size_t calls = std::min(most, queue_.size());
    std::size_t left = calls;
    do {
      entry next = queue_.pop();
      if (next.since_ns != since) {
        tally_.delay(now - since, alike);
        since = next.since_ns;
        alike = 0;
      }
      ++alike;
      --left;
      run_call(next.queued_call);
    } while (!scheduler_.need_preempt() && left != 0);
    queue_.settle();
    tally_.delay(now - since, alike);
    end_batch(calls - left);
    running_ = false;
    return calls - left;
  }

  void run_call(call& next) {
    try {
      handler_.run(next);
    } catch (...) {
      tally_.failed.add(1);
      handler_.failed(next, std::current_exception());
    }
  }

  Handler handler_;
  call_queue<entry> queue_;
  // number of used slots from which enqueue() takes the slow path
  const std::size_t slow_path_from_;
  bool running_ = false;
};

}  // namespace stallscope::stages
