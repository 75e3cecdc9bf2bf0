// An execution stage: a function whose calls are queued and run together, so that its code is
// fetched into the instruction cache once a batch and not once a call.
//
// A call is queued, and a task is scheduled unless one is pending. Calls that come before the task
// runs join its batch; those that the batch itself makes wait for the next. After each call the
// task asks whether its quota is used up; what then is left waits for the stage's next task, behind
// the tasks that are scheduled already. Calls run in the order they came, each once. A call that
// finds the queue at its limit first makes room: it runs queued calls there and then, at least one,
// until the queue is empty or the quota is used up.
//
// What it costs: some 30 instructions a call, no allocation, no reading of a clock (the delay is
// between the scheduler's cached times, so it is as coarse as tasks are long). In latency: a call
// waits for every call before it in its batch, and for the tasks scheduled before. With b calls a
// batch over s stages of c ns each, the first reply leaves after some b*s*c ns instead of s*c; the
// last leaves no later than without stages, and earlier by what the cache saved. A batch is at most
// a quota long unless one call is. Where calls arrive one at a time batches are of one; whoever
// knows that a call is alone calls run_alone(), which costs some 20 instructions.
//
// One thread: that of the scheduler. Where to use it: code that misses the instruction cache when
// requests run through all of it, in stages whose touched code fits into it (docs/stages.md).
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

// What a stage runs: run() for each call; failed() with what run() threw, on the same thread,
// before the next call runs. failed() is how an exception reaches the call's maker.
template <typename Handler>
concept call_handler = std::movable<typename Handler::call> &&
    requires(Handler handler, typename Handler::call& call, std::exception_ptr thrown) {
  handler.run(call);
  { handler.failed(call, thrown) }
  noexcept;
};

template <typename Handler>
class execution_stage final : public stage {
  static_assert(call_handler<Handler>);  // not in the head: a handler may point to its own stage

 public:
  using call = typename Handler::call;

  execution_stage(stage_registry& registry, std::string name, Handler handler)
      : stage(registry, std::move(name)),
        handler_(std::move(handler)),
        queue_(settings_.queue_limit),
        attention_from_(settings_.max_batch == 1 ? 0 : settings_.queue_limit) {}

  // Runs nothing here unless max_batch is 1 or the queue is at its limit. A call that the stage's
  // own function makes is always queued, also beyond the limit. Throws std::bad_alloc there only.
  void enqueue(call added) {
    tally_.enqueued.add(1);
    if (queue_.used() >= attention_from_) {
      enqueue_with_attention(std::move(added));
    } else {
      add_to_queue(std::move(added));
    }
  }

  // What a call would do, there and then, as a batch of one that queue and scheduler do not see:
  // for whoever knows that nothing is queued in this stage and that nothing else waits for the
  // thread. `work` does it and returns false where it failed.
  template <typename Work>
  void run_alone(Work work) noexcept {
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
    queue_.push_within_room({std::move(added), present_ns()});
    schedule();
  }

  // Runs the call, or makes room for it in the queue.
  [[gnu::noinline]] void enqueue_with_attention(call added) {
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
    ended_batch(1);
    running_ = false;
  }

  void run_task() override {
    if (running_ || queue_.empty()) {
      return;  // run meanwhile
    }
    const auto wanted = std::min(settings_.max_batch, queue_.size());
    if (run_batch(settings_.max_batch) < wanted) {
      tally_.preempted.add(1);
    }
    if (!queue_.empty()) {
      schedule();
    }
  }

  // Returns how many ran: one at least, and all unless the quota was used up.
  std::size_t run_batch(std::size_t most) {
    running_ = true;
    const auto now = begin_batch();
    std::int64_t since = now;
    std::size_t alike = 0;  // calls with the same delay, counted together
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
    ended_batch(calls - left);
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
  const std::size_t attention_from_;  // slots in use that enqueue() does not simply add to
  bool running_ = false;
};

}  // namespace stallscope::stages
