#include "kernels/mix_thread.hpp"

#include <array>
#include <cerrno>
#include <system_error>

namespace stallscope::kernels {
namespace {

constexpr std::array<const char*, role_count> role_names = {"arithmetic", "pointers", "branches",
                                                            "sleeper"};
constexpr std::uint64_t millisecond_ns = 1'000'000;

std::string thread_name(unsigned index) {
  std::string name = role_names[index % role_count];
  if (index >= role_count) name += "-" + std::to_string(index / role_count + 1);
  return name;
}

// Stores the results of the functions, so that the compiler cannot omit their work.
std::atomic<std::uint64_t> result_sink{0};

// Returns a uniform number between the bounds. Chunks of random length cannot alias with a sampling
// period.
std::uint64_t uniform(std::uint64_t& state, std::uint64_t low, std::uint64_t high) noexcept {
  state += 0x9e3779b97f4a7c15U;  // splitmix64, Steele et al. 2014
  std::uint64_t mixed = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
  return low + (mixed ^ (mixed >> 31U)) % (high - low + 1);
}

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

}  // namespace

mix_thread::mix_thread(unsigned index, const chain_node* ring, const std::atomic<bool>& stop)
    : role_(static_cast<thread_role>(index % role_count)),
      name_(thread_name(index)),
      ring_(ring),
      stop_(stop),
      random_state_(index) {
  // pthread_create instead of std::thread: the C++ library's frame has no frame pointer, and the
  // call chain would end there instead of at the thread's entry.
  const int error = pthread_create(&thread_, nullptr, &mix_thread::enter_thread, this);
  if (error != 0) fail(error, "cannot create thread " + name_ + ": pthread_create");
  // Cannot fail: the thread is not joined, and its name has at most 15 characters.
  pthread_getcpuclockid(thread_, &cpu_clock_);
}

void mix_thread::join() noexcept {
  if (!joined_) pthread_join(thread_, nullptr);
  joined_ = true;
}

void* mix_thread::enter_thread(void* self) {
  static_cast<mix_thread*>(self)->work();
  return nullptr;
}

void mix_thread::work() {
  pthread_setname_np(pthread_self(), name_.c_str());
  while (!stop_.load(std::memory_order_relaxed)) {
    const std::uint64_t chunk_ns = uniform(random_state_, 5 * millisecond_ns, 20 * millisecond_ns);
    switch (role_) {
      case thread_role::arithmetic:
        run_chunk(mix_function::hot_arithmetic, chunk_ns, 0);
        break;
      case thread_role::pointers:
        run_chunk(mix_function::chase_pointers, chunk_ns, 0);
        break;
      case thread_role::branches:  // two functions alternate, in unequal parts
        run_chunk(mix_function::mispredict_branches, chunk_ns, 0);
        run_chunk(mix_function::hot_arithmetic, chunk_ns / 3, 0);
        break;
      case thread_role::sleeper:
        run_chunk(mix_function::mostly_sleeping, chunk_ns / 8, chunk_ns);
        break;
    }
  }
  account_.leave();
}

[[gnu::noinline]] void mix_thread::run_chunk(mix_function function, std::uint64_t target_ns,
                                             std::uint64_t sleep_ns) {
  chunk_pace& pace = paces_[static_cast<std::size_t>(function)];
  const std::uint64_t iterations = pace.iterations_for(target_ns);
  account_.enter(function);
  switch (function) {
    case mix_function::hot_arithmetic:
      result_sink.store(hot_arithmetic(iterations, sleep_ns), std::memory_order_relaxed);
      break;
    case mix_function::chase_pointers:
      ring_ = chase_pointers(iterations, ring_);
      break;
    case mix_function::mispredict_branches:
      result_sink.store(mispredict_branches(iterations, random_state_), std::memory_order_relaxed);
      break;
    case mix_function::mostly_sleeping:
      result_sink.store(mostly_sleeping(iterations, sleep_ns), std::memory_order_relaxed);
      break;
  }
  pace.learn(iterations, account_.enter(function));
}

}  // namespace stallscope::kernels
