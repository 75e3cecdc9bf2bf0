#include "collect/lock_owner.hpp"

#include <doctest/doctest.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "base/clock.hpp"
#include "collect/owner_helper.hpp"

namespace stallscope::collect {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t wait_private = 0x80;
constexpr std::uint32_t wait_until = 0x189;

pid_t own_tid() { return static_cast<pid_t>(::syscall(SYS_gettid)); }

using lock_words = std::array<std::uint32_t, owner_memory_bytes / 4>;

lock_owner owner_of(const lock_words& words, std::uint32_t operation, std::uint32_t value) {
  std::array<std::byte, owner_memory_bytes> memory{};
  std::memcpy(memory.data(), words.data(), memory.size());
  return owner_in(memory, {100, 101, 0, 0x5000, operation, value});
}

// The number of the futex in the wait of `tid`, when it waits; 0 after a second.
std::uint64_t awaited_futex(pid_t tid) {
  const procfs proc;
  const auto path = proc.root() / "self" / "task" / std::to_string(tid) / "syscall";
  const auto prefix = std::to_string(SYS_futex) + " 0x";
  for (int round = 0; round < 1000; ++round, std::this_thread::sleep_for(1ms)) {
    const auto text = read_text(path, 256);
    if (text.starts_with(prefix)) return std::stoull(text.substr(prefix.size()), nullptr, 16);
  }
  return 0;
}

}  // namespace

TEST_CASE("the owner of a mutex is named only if kind and word are those of a held mutex") {
  const auto known = owner_of({2, 0, 77, 1, 0}, wait_private, 2);
  CHECK(known.kind == lock_kind::mutex);
  CHECK(known.owner == 77);
  CHECK(owner_of({2, 1, 77, 1, 1}, wait_private, 2).owner == 77);
  CHECK(owner_of({1, 0, 77, 1, 0}, wait_private, 2).reason == owner_reason::not_set);
  CHECK(owner_of({2, 0, 0, 1, 0}, wait_private, 2).reason == owner_reason::not_set);
  CHECK(owner_of({2, 0, 101, 1, 0}, wait_private, 2).reason == owner_reason::not_alive);
  CHECK(owner_of({2, 0, 77, 1, 0x7fff1234}, wait_private, 2).kind == lock_kind::none);
}

TEST_CASE("owners of priority-inheriting and robust mutexes are in the futex word") {
  CHECK(owner_of({0x80000000U | 77}, 0x86, 0).owner == 77);
  CHECK(owner_of({0}, 0, 0x80000000U | 77).owner == 77);
}

TEST_CASE("the writer of a rwlock is at another place for readers and for writers") {
  const auto writer = owner_of({3, 0, 0, 77, 0}, wait_until, 3);
  CHECK(writer.kind == lock_kind::rwlock_write);
  CHECK(writer.owner == 77);
  const auto reader = owner_of({3, 0, 0, 0, 77}, wait_until, 3);
  CHECK(reader.kind == lock_kind::rwlock_read);
  CHECK(reader.owner == 77);
}

TEST_CASE("condition variables, semaphores and joins have no owner in memory") {
  CHECK_FALSE(may_have_owner({1, 1, 0, 4, wait_until, 0}));
  CHECK_FALSE(may_have_owner({1, 1, 0, 4, 0x109, 77}));
  CHECK(may_have_owner({1, 1, 0, 4, wait_private, 2}));
}

TEST_CASE("the owner of a mutex of a live process is read while a thread waits for it") {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  std::atomic<pid_t> waiter = 0;
  std::thread thread{[&] {
    waiter = own_tid();
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }};
  while (waiter == 0) std::this_thread::yield();
  const auto address = awaited_futex(waiter);
  CHECK(address == reinterpret_cast<std::uintptr_t>(&mutex));
  futex_wait wait{::getpid(), waiter, monotonic_ns(), address, wait_private, 2};
  const auto known = read_lock_owner(procfs{}, wait);
  CHECK(known.owner == own_tid());
  wait.address = 4096;
  CHECK(read_lock_owner(procfs{}, wait).reason == owner_reason::unreadable);
  wait.address = reinterpret_cast<std::uintptr_t>(&wait) & ~3ULL;
  CHECK(read_lock_owner(procfs{}, wait).owner == 0);

  owner_helper helper{procfs{}};
  std::optional<owner_reading> reading;
  const auto end_ns = monotonic_ns() + 10'000'000'000;
  while (!reading && monotonic_ns() < end_ns) {
    helper.note({::getpid(), waiter, monotonic_ns(), address, wait_private, 2});
    helper.wake();
    std::this_thread::sleep_for(2ms);
    reading = helper.take();
  }
  REQUIRE(reading);
  CHECK(reading->owner.owner == own_tid());
  helper.note({::getpid(), waiter, 1, address, wait_private, 2});
  helper.finish();
  CHECK(helper.warnings().empty());

  pthread_mutex_unlock(&mutex);
  thread.join();
  wait.address = address;
  CHECK(read_lock_owner(procfs{}, wait).reason == owner_reason::wait_is_over);
}

}  // namespace stallscope::collect
