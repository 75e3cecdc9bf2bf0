// A function whose calls run in batches, as an execution stage. To stage an existing function,
// change two lines: make the stage, and call it instead of the function.
//
//     int count_words(std::string_view text) {  // an existing function; it does not change
//       return static_cast<int>(std::ranges::count(text, ' ')) + 1;
//     }
//
//     void print(stages::stage_future<int> words) { std::cout << words.get() << " words\n"; }
//
//     int main() {
//       reactor::reactor loop;
//       stages::stage_registry registry(loop);                         // once per thread
//       const stages::thread_registry of_this_thread(registry);
//
//       auto staged = stages::make_execution_stage("count_words", count_words);  // first line
//       auto words = staged("one two three");     // second line; was: count_words("one two three")
//       staged("four five").then(print);
//
//       loop.turn(std::chrono::milliseconds(0));  // runs both calls; prints "2 words"
//       print(std::move(words));                   // prints "3 words"
//     }
//
// A call copies its arguments and returns a stage_future. The function runs in a later task of the
// loop (execution_stage.hpp describes when); parameters are therefore values, pointers or const
// references to the copies.
//
// Cost: at most 35 instructions per call, including the future and reading the result, in batches
// of 64 (tests/native/stages/test_call_cost.py counts them). No allocation once the ring of calls
// has grown to about the largest number in flight.
//
// Thread: that of the registry. The stage outlives its calls and their futures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "stages/execution_stage.hpp"

namespace stallscope::stages {

template <typename Result>
class stage_future;

// The result of a call in flight. Belongs to its future, or to the stage if there is none.
template <typename Result>
class call_result {
 public:
  using stored = std::conditional_t<std::is_void_v<Result>, std::monostate, Result>;
  enum class phase : std::uint8_t { free, waiting, ready, failed };
  enum class watcher : std::uint8_t { future, none, continuation };

  call_result() noexcept {}
  call_result(const call_result&) = delete;
  call_result& operator=(const call_result&) = delete;
  call_result(call_result&&) = delete;
  call_result& operator=(call_result&&) = delete;

  [[nodiscard]] bool free() const noexcept { return phase_ == phase::free; }
  [[nodiscard]] bool ready() const noexcept { return phase_ == phase::ready; }
  void begin() noexcept { phase_ = phase::waiting; }
  template <typename Work>
  void run(Work&& work) {
    if constexpr (std::is_void_v<Result>) {
      std::forward<Work>(work)();
      std::construct_at(&value_);
    } else {
      std::construct_at(&value_, std::forward<Work>(work)());
    }
    phase_ = phase::ready;
    if (watcher_ != watcher::future) notify();
  }
  void fail(std::exception_ptr thrown) noexcept {
    error_ = std::move(thrown);
    phase_ = phase::failed;
    if (watcher_ != watcher::future) notify();
  }

  // For the future. The call is ready; it ends.
  Result take() noexcept {
    if constexpr (std::is_void_v<Result>) {
      end();
    } else {
      Result result = std::move(value_);
      std::destroy_at(&value_);
      end();
      return result;
    }
  }
  // The call is not ready.
  [[noreturn]] [[gnu::noinline]] void fail() const {
    if (phase_ == phase::failed) std::rethrow_exception(error_);
    throw std::logic_error("a stage has not run the call whose result is read");
  }
  [[gnu::noinline]] void drop() noexcept {
    if (phase_ == phase::waiting) {
      watcher_ = watcher::none;
      return;
    }
    if (phase_ == phase::ready) std::destroy_at(&value_);
    error_ = nullptr;
    end();
  }
  template <typename Continuation>
  void then(Continuation continuation) {
    continuation_ = std::move(continuation);
    watcher_ = watcher::continuation;
    if (phase_ != phase::waiting) notify();
  }

 protected:
  ~call_result() {}  // no call is in flight, so there is no value

 private:
  void end() noexcept { phase_ = phase::free; }
  [[gnu::noinline]] void notify() noexcept {
    if (std::exchange(watcher_, watcher::future) == watcher::none) {
      drop();
      return;
    }
    const auto continuation = std::exchange(continuation_, nullptr);
    continuation(stage_future<Result>(this));
  }

  union {
    stored value_;  // if ready
  };
  phase phase_ = phase::free;
  watcher watcher_ = watcher::future;
  std::exception_ptr error_;
  std::function<void(stage_future<Result>)> continuation_;
};

// The result of a call that may not have run yet. A call whose future is destroyed still runs; its
// result is discarded.
template <typename Result>
class [[nodiscard]] stage_future {
 public:
  explicit stage_future(call_result<Result>* of) noexcept : result_(of) {}
  stage_future(stage_future&& other) noexcept : result_(std::exchange(other.result_, nullptr)) {}
  stage_future& operator=(stage_future&& other) noexcept {
    std::swap(result_, other.result_);
    return *this;
  }
  stage_future(const stage_future&) = delete;
  stage_future& operator=(const stage_future&) = delete;
  [[gnu::always_inline]] ~stage_future() {
    if (result_ != nullptr) result_->drop();
  }

  // Whether the function has returned a result.
  [[nodiscard]] bool ready() const noexcept { return result_->ready(); }
  // Returns the result; once. Throws what the function threw, or std::logic_error if it has not run
  // yet.
  Result get() {
    if (!ready()) result_->fail();
    // result_ is reset last, so that the compiler sees that the destructor has nothing to do.
    if constexpr (std::is_void_v<Result>) {
      result_->take();
      result_ = nullptr;
    } else {
      Result value = result_->take();
      result_ = nullptr;
      return value;
    }
  }
  // Calls continuation(stage_future<Result>) with the ready future: within the batch, or at once if
  // the function has run. The continuation must not throw.
  template <typename Continuation>
  void then(Continuation continuation) && {
    std::exchange(result_, nullptr)->then(std::move(continuation));
  }

 private:
  call_result<Result>* result_;
};

// The stage of a function; make_execution_stage() deduces the types.
template <typename Function, typename Result, typename... Arguments>
class staged_function {
  static_assert(std::is_void_v<Result> || std::is_nothrow_move_constructible_v<Result>,
                "the result of a staged function is a value whose move does not throw");
  static_assert(std::is_invocable_r_v<Result, Function&, Arguments&&...>,
                "a parameter of a staged function is a value, a pointer or a const reference");

 public:
  staged_function(stage_registry& registry, std::string name, Function function)
      : calls_(1),
        next_(&calls_.front()),
        stage_(registry, std::move(name), handler{std::move(function)}) {
    next_->next = next_;
  }
  staged_function(const staged_function&) = delete;
  staged_function& operator=(const staged_function&) = delete;
  staged_function(staged_function&&) = delete;
  staged_function& operator=(staged_function&&) = delete;
  ~staged_function() = default;

  // Queues a call.
  stage_future<Result> operator()(Arguments... arguments) {
    if (!next_->free()) find_free_call();
    queued_call* const made = next_;
    std::construct_at(&made->arguments, std::move(arguments)...);
    next_ = made->next;
    made->begin();
    stage_.enqueue(made);
    return stage_future<Result>(made);
  }

  [[nodiscard]] const stage& counted() const noexcept { return stage_; }  // name and counters

 private:
  struct queued_call final : call_result<Result> {
    queued_call() noexcept {}
    ~queued_call() {}
    union {
      std::tuple<Arguments...> arguments;  // until the call has run
    };
    queued_call* next = nullptr;  // in the ring of all calls
  };
  struct handler {
    using call = queued_call*;
    Function function;

    void run(queued_call* next) {
      const destroy_arguments at_end{next};
      next->run([&] { return std::apply(function, std::move(next->arguments)); });
    }
    void failed(queued_call* next, std::exception_ptr thrown) const noexcept {
      next->fail(std::move(thrown));
    }
  };
  struct destroy_arguments {
    queued_call* of;
    ~destroy_arguments() { std::destroy_at(&of->arguments); }
  };

  // Skips calls in flight. If all are, adds as many calls as there are.
  [[gnu::noinline]] void find_free_call() {
    for (std::size_t skipped = 0; skipped < calls_.size(); ++skipped) {
      next_ = next_->next;
      if (next_->free()) return;
    }
    for (std::size_t count = calls_.size(); count != 0; --count) {
      queued_call& made = calls_.emplace_back();
      made.next = std::exchange(next_->next, &made);
    }
    next_ = next_->next;
  }

  std::deque<queued_call> calls_;
  queued_call* next_;  // the next call, if it is free
  execution_stage<handler> stage_;
};

// Returns the stage of a function: a callable whose calls return futures. Throws
// std::invalid_argument if the registry rejects the name.
template <typename Function>
auto make_execution_stage(stage_registry& registry, std::string name, Function function) {
  return [&]<typename Result, typename... Parameters>(
             std::type_identity<std::function<Result(Parameters...)>> /*signature*/) {
    return staged_function<Function, Result, std::decay_t<Parameters>...>(registry, std::move(name),
                                                                          std::move(function));
  }(std::type_identity<decltype(std::function{function})>{});
}

// In the registry of this thread (thread_registry). Throws std::logic_error if there is none.
template <typename Function>
auto make_execution_stage(std::string name, Function function) {
  return make_execution_stage(thread_registry::current(), std::move(name), std::move(function));
}

}  // namespace stallscope::stages
