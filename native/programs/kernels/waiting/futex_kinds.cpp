#include "kernels/waiting/futex_kinds.hpp"

#include <linux/futex.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <mutex>
#include <vector>

#include "kernels/waiting/waiting_kernel.hpp"

namespace stallscope::kernels {
namespace {

constexpr timespec longest_futex_wait{.tv_sec = 0, .tv_nsec = 50'000'000};

// The system call of a wait that glibc does not make: other runtimes use other operations and
// values than its mutexes.
[[gnu::noinline]] void futex_wait_while(std::atomic<std::uint32_t>& word, std::uint32_t value,
                                        int operation) noexcept {
  syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, &longest_futex_wait, nullptr, 0);
}

void futex_wake_all(std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
}

// Waits until the holder sets the word to zero, or the longest wait is over.
void wait_for_release(std::atomic<std::uint32_t>& word, std::uint32_t value, int operation,
                      thread_times& times, wait_state state) noexcept {
  word = value;
  const timed_wait wait(times, state);
  futex_wait_while(word, value, operation);
}

void release_futex(std::atomic<std::uint32_t>& word) noexcept {
  word = 0;
  futex_wake_all(word);
}

// A futex on the stack of the thread that waits, as in musl's condition variables: operation and
// value are those of a contended mutex, but no thread owns it.
class stack_word {
 public:
  void wait(thread_times& times) {
    std::atomic<std::uint32_t> word{contended};
    publish(&word);
    {
      const timed_wait wait(times, wait_state::condition);
      futex_wait_while(word, contended, FUTEX_WAIT);
    }
    publish(nullptr);
  }
  void release_waiter() {
    const std::scoped_lock lock(mutex_);
    if (word_ != nullptr) release_futex(*word_);
  }

 private:
  static constexpr std::uint32_t contended = 2;

  void publish(std::atomic<std::uint32_t>* word) {
    const std::scoped_lock lock(mutex_);
    word_ = word;
  }

  std::mutex mutex_;
  std::atomic<std::uint32_t>* word_ = nullptr;
};

struct memory_freer {
  void operator()(void* memory) const noexcept { std::free(memory); }
};
using allocated = std::unique_ptr<void, memory_freer>;

// The only arena of malloc, with enough free chunks that malloc_trim holds its lock for
// milliseconds: it gives the pages of each back, 1 us per chunk, also if they are not in use.
class fragmented_arena {
 public:
  fragmented_arena() {
    mallopt(M_ARENA_MAX, 1);
    std::vector<allocated> free_later;
    free_later.reserve(chunks);
    between_.reserve(chunks);
    for (unsigned i = 0; i < chunks; ++i) {
      free_later.emplace_back(std::malloc(free_bytes));
      between_.emplace_back(std::malloc(between_bytes));
    }
  }
  [[gnu::noinline]] static void hold() noexcept { malloc_trim(0); }
  // Takes the lock twice: the chunk is too large for the cache of the thread.
  [[gnu::noinline]] static void use() { const allocated chunk{std::malloc(used_bytes)}; }

 private:
  static constexpr unsigned chunks = 4096;
  static constexpr std::size_t free_bytes = 8192;  // contains a whole page
  static constexpr std::size_t between_bytes = 32;
  static constexpr std::size_t used_bytes = 2048;

  std::vector<allocated> between_;  // free neighbours would become one chunk
};

struct file_closer {
  void operator()(std::FILE* file) const noexcept { static_cast<void>(std::fclose(file)); }
};

// Thread 0 holds a mutex, a lock of stdio and a lock for readers and writers 9 of 10 ms, then wakes
// the threads that wait for events and words. Another thread holds the lock of malloc's arena, and
// each other thread waits in one way. In the look-alike thread 0 computes outside of the locks and
// the others sleep between two uses.
class futex_kinds_kernel : public waiting_kernel {
 public:
  explicit futex_kinds_kernel(const kernel_settings& setting)
      : waiting_kernel(setting.threads), look_alike_(setting.look_alike) {
    sem_init(&semaphore_, 0, 0);
  }
  ~futex_kinds_kernel() override { sem_destroy(&semaphore_); }
  futex_kinds_kernel(const futex_kinds_kernel&) = delete;
  futex_kinds_kernel& operator=(const futex_kinds_kernel&) = delete;
  futex_kinds_kernel(futex_kinds_kernel&&) = delete;
  futex_kinds_kernel& operator=(futex_kinds_kernel&&) = delete;

 private:
  static constexpr std::uint64_t held_ns = 9 * ms;
  static constexpr std::uint64_t released_ns = 1 * ms;
  static constexpr std::uint64_t used_ns = 20 * us;
  static constexpr std::uint64_t private_ns = 100 * us;

  enum role : unsigned {
    holder,
    mutex,
    readers,
    stdio,
    condition,
    semaphore,
    parked,
    rust_lock,
    musl_lock,
    musl_condition,
    trimmer,
    first_of_malloc
  };

  bool iterate(unsigned thread, const std::atomic<bool>&) override {
    if (thread == holder) {
      if (look_alike_)
        compute_for(held_ns);
      else
        hold();
      pause_for(released_ns, times(thread));
      return true;
    }
    if (look_alike_)
      pause_for(held_ns, times(thread));
    else
      wait_once(thread);
    compute_for(private_ns);
    return true;
  }
  void hold() {
    const auto lock = lock_timed(mutex_, times(holder));
    {
      const timed_wait wait(times(holder), wait_state::lock);
      pthread_rwlock_wrlock(&readers_);
      flockfile(file_.get());
    }
    compute_for(held_ns);
    funlockfile(file_.get());
    pthread_rwlock_unlock(&readers_);
    {
      const std::scoped_lock change(changed_mutex_);
      ++round_;
    }
    changed_.notify_all();
    sem_post(&semaphore_);
    for (auto& word : words_) release_futex(word);
    on_stack_.release_waiter();
  }
  void wait_once(unsigned thread) {
    thread_times& own = times(thread);
    switch (thread) {
      case mutex: {
        const auto lock = lock_timed(mutex_, own);
        compute_for(used_ns);
        break;
      }
      case readers: {
        {
          const timed_wait wait(own, wait_state::lock);
          pthread_rwlock_rdlock(&readers_);
        }
        compute_for(used_ns);
        pthread_rwlock_unlock(&readers_);
        break;
      }
      case stdio: {
        {
          const timed_wait wait(own, wait_state::lock);
          flockfile(file_.get());
        }
        compute_for(used_ns);
        funlockfile(file_.get());
        break;
      }
      case condition:
        wait_for_round(own);
        break;
      case semaphore:
        wait_for_post(own);
        break;
      case parked:
        wait_for_release(words_[0], 1, FUTEX_WAIT, own, wait_state::condition);
        break;
      case rust_lock:
        wait_for_release(words_[1], 2, FUTEX_WAIT, own, wait_state::lock);
        break;
      case musl_condition:
        on_stack_.wait(own);
        break;
      case trimmer:
        fragmented_arena::hold();
        pause_for(released_ns, own);
        break;
      case musl_lock:
        wait_for_release(words_[2], 0x80000000U + static_cast<std::uint32_t>(times(holder).tid()),
                         FUTEX_WAIT, own, wait_state::condition);
        break;
      default: {
        {
          const timed_wait wait(own, wait_state::lock);
          fragmented_arena::use();
        }
        pause_for(used_ns, own);
      }
    }
  }
  void wait_for_round(thread_times& own) {
    std::unique_lock<std::mutex> lock(changed_mutex_);
    const timed_wait wait(own, wait_state::condition);
    changed_.wait_for(lock, std::chrono::milliseconds(50),
                      [this, before = round_] { return round_ != before; });
  }
  void wait_for_post(thread_times& own) noexcept {
    timespec end{};
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += longest_futex_wait.tv_nsec;
    if (end.tv_nsec >= 1'000'000'000) {
      end.tv_nsec -= 1'000'000'000;
      ++end.tv_sec;
    }
    const timed_wait wait(own, wait_state::condition);
    sem_timedwait(&semaphore_, &end);
  }
  [[nodiscard]] const char* name_of(unsigned thread) const override {
    constexpr std::array names = {"holder",    "mutex",     "readers", "stdio",
                                  "condition", "semaphore", "parked",  "rust-lock",
                                  "musl-lock", "musl-cond", "trimmer"};
    return thread < names.size() ? names[thread] : "malloc";
  }

  bool look_alike_;
  std::mutex mutex_;
  pthread_rwlock_t readers_ = PTHREAD_RWLOCK_INITIALIZER;
  std::unique_ptr<std::FILE, file_closer> file_{std::fopen("/dev/null", "w")};
  std::mutex changed_mutex_;
  std::condition_variable changed_;
  std::uint64_t round_ = 0;
  sem_t semaphore_{};
  std::array<std::atomic<std::uint32_t>, 3> words_{};
  stack_word on_stack_;
  fragmented_arena arena_;
};

}  // namespace

std::unique_ptr<kernel_base> make_futex_kinds(const kernel_settings& setting) {
  return std::make_unique<futex_kinds_kernel>(setting);
}

}  // namespace stallscope::kernels
