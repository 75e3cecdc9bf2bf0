// An execution stage: a function whose calls are queued and run in batches, so that its code is
// loaded into the instruction cache once per batch instead of once per call. staged_function.hpp
// makes a stage of an existing function; this one leaves results to its handler.
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
// Cost: about 20 instructions per call, no allocation, no clock read (delays come from the cached
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
        queue_(settings_.queue_limit) {}

  // Queues a call. Runs queued calls inline only if max_batch is 1 or the queue is at its limit. A
  // call made by the function of the stage itself is always queued, even beyond the limit; only
  // then may enqueue() throw std::bad_alloc.
  void enqueue(call added) {
    entry made{std::move(added), now_ns()};
    // try_push() moves the entry only if it succeeds.
    // NOLINTNEXTLINE(bugprone-use-after-move)
    if (!queue_.try_push(std::move(made))) enqueue_slow(std::move(made));
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

  void run_queued(std::size_t max_calls) override {
    while (!running_ && !queue_.empty() && max_calls != 0) {
      max_calls -= run_batch(max_calls);
    }
  }

  [[nodiscard]] Handler& handler() noexcept { return handler_; }

 private:
  struct entry {
    call queued_call{};
    std::int64_t since_ns = 0;
  };

  // The queue is closed while no task is scheduled, so that one comparison of enqueue() finds both
  // this and a queue at its limit. With a max_batch of 1 it stays closed.
  [[gnu::noinline]] void enqueue_slow(entry added) {
    if (!running_ && settings_.max_batch == 1 && queue_.empty()) {
      run_at_once(added.queued_call);
      return;
    }
    if (!running_ && queue_.size() >= settings_.queue_limit) {
      tally_.flushed_inline.add(1);
      run_batch(queue_.size());
    }
    queue_.push(std::move(added));
    schedule();
    if (settings_.max_batch != 1) queue_.open(settings_.queue_limit);
  }

  void run_at_once(call& only) {
    tally_.enqueued.add(1);
    running_ = true;
    tally_.delay(0, 1);
    run_call(only);
    count_batch(1);
    running_ = false;
  }

  void run_task() override {
    queue_.close();
    if (running_ || queue_.empty()) {
      return;  // already run
    }
    const auto expected = std::min(settings_.max_batch, queue_.size());
    if (run_batch(settings_.max_batch) < expected) {
      tally_.preempted.add(1);
    }
    if (!queue_.empty()) {
      schedule();
      if (settings_.max_batch != 1) queue_.open(settings_.queue_limit);
    }
  }

  // Returns the number of calls run: at least one, and all of them unless the quota is used up.
  std::size_t run_batch(std::size_t max_calls) {
    running_ = true;
    tally_.enqueued.set(tally_.executed.value() + queue_.size());
    const auto now = now_ns();
    const std::size_t calls = std::min(max_calls, queue_.size());
    std::size_t left = calls;
    do {
      // The last of these calls is followed by a check of the quota.
      const std::size_t together = alike_at_front(scheduler_.skip_checks(left - 1) + 1);
      tally_.delay(now - queue_.front().since_ns, together);
      for (entry& claimed : queue_.claim(together)) {
        call next = std::move(claimed.queued_call);  // destroyed before the next call runs
        run_call(next);
      }
      queue_.release_claimed();
      left -= together;
    } while (!scheduler_.need_preempt() && left != 0);
    count_batch(calls - left);
    running_ = false;
    return calls - left;
  }

  // Number of calls at the front, at most `max_calls`, with the same delay.
  [[nodiscard]] std::size_t alike_at_front(std::size_t max_calls) const {
    const auto since_ns = queue_.front().since_ns;
    return queue_.count_front(
        max_calls, [since_ns](const entry& later) { return later.since_ns == since_ns; });
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
  bool running_ = false;
};

}  // namespace stallscope::stages
