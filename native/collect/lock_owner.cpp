#include "collect/lock_owner.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>

#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include "process_reading/process_memory.hpp"

namespace stallscope::collect {
namespace {

constexpr std::uint32_t contended_mutex = 2;
constexpr std::uint32_t contended_rwlock = 3;
constexpr std::uint32_t largest_mutex_type = 3;  // normal, recursive, errorcheck, adaptive
constexpr std::uint32_t elision_bits = 0x300;
constexpr std::size_t mutex_owner = 8;
constexpr std::size_t mutex_users = 12;
constexpr std::size_t mutex_kind = 16;
constexpr std::size_t rwlock_writer = 24;
constexpr std::size_t read_futex = 8;            // of a rwlock
constexpr std::size_t write_futex = 12;          // of a rwlock
constexpr std::uint32_t most_users = 1U << 22U;  // as many as there are thread ids

std::uint32_t command_of(const futex_wait& wait) {
  return wait.operation & static_cast<std::uint32_t>(FUTEX_CMD_MASK);
}

bool is_pi(const futex_wait& wait) {
  const auto command = command_of(wait);
  return command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET;
}

// A robust mutex waits with its word: the owner and the bit for waiters.
bool is_robust(const futex_wait& wait) {
  return command_of(wait) == FUTEX_WAIT && (wait.value & FUTEX_WAITERS) != 0;
}

// The result of reading `owner`, which is 0 while the lock changes hands.
lock_owner with_owner(lock_kind kind, std::uint32_t owner, const futex_wait& wait) {
  const auto tid = static_cast<pid_t>(owner & FUTEX_TID_MASK);
  if (tid == 0) return {kind, owner_reason::not_set, 0};
  if (tid == wait.tid) return {kind, owner_reason::not_alive, 0};
  return {kind, owner_reason::known, tid};
}

lock_owner mutex_owner_in(std::span<const std::byte> mutex, const futex_wait& wait) {
  using process_reading::value_at;
  const auto kind = value_at<std::uint32_t>(mutex, mutex_kind) & ~elision_bits;
  const auto users = value_at<std::uint32_t>(mutex, mutex_users);
  if (kind > largest_mutex_type || users > most_users) return {};
  const auto word = value_at<std::uint32_t>(mutex, 0);
  if (word != contended_mutex) return {lock_kind::mutex, owner_reason::not_set, 0};
  return with_owner(lock_kind::mutex, value_at<std::uint32_t>(mutex, mutex_owner), wait);
}

// Readers and writers wait for different words with the same arguments. The word where the other
// kind has the writer is padding, or not zero only in a lock that processes share.
lock_owner rwlock_owner_in(std::span<const std::byte> memory, const futex_wait& wait) {
  using process_reading::value_at;
  const auto by_writer = value_at<std::uint32_t>(memory, rwlock_writer - write_futex);
  const auto by_reader = value_at<std::uint32_t>(memory, rwlock_writer - read_futex);
  if (by_writer != 0 && by_reader != 0) return {};
  if (by_writer != 0) return with_owner(lock_kind::rwlock_write, by_writer, wait);
  return with_owner(lock_kind::rwlock_read, by_reader, wait);
}

bool is_thread_of(const procfs& proc, pid_t pid, pid_t tid) {
  std::error_code error;
  return std::filesystem::exists(proc.root() / std::to_string(pid) / "task" / std::to_string(tid),
                                 error);
}

// Returns whether /proc/PID/task/TID/syscall shows a futex call with this address.
bool still_waits(const procfs& proc, const futex_wait& wait) {
  constexpr std::size_t longest_line = 256;
  const auto text = read_text(
      proc.root() / std::to_string(wait.pid) / "task" / std::to_string(wait.tid) / "syscall",
      longest_line);
  const std::string prefix = std::to_string(SYS_futex) + " 0x";
  if (!text.starts_with(prefix)) return false;
  std::uint64_t address = 0;
  std::from_chars(text.data() + prefix.size(), text.data() + text.size(), address, 16);
  return address == wait.address;
}

}  // namespace

const char* name_of(lock_kind kind) {
  constexpr std::array names{"other",        "mutex",       "pi-mutex",
                             "robust-mutex", "rwlock-read", "rwlock-write"};
  const auto index = static_cast<std::size_t>(kind);
  return index < names.size() ? names.at(index) : names[0];
}

const char* text_of(owner_reason reason) {
  constexpr std::array texts{"",
                             "not a lock of glibc with an owner",
                             "the lock was changing hands",
                             "the owner is not another thread of the process",
                             "the memory of the process cannot be read",
                             "the wait was over before the owner was read"};
  const auto index = static_cast<std::size_t>(reason);
  return index < texts.size() ? texts.at(index) : texts[1];
}

bool may_have_owner(const futex_wait& wait) {
  return is_pi(wait) || is_robust(wait) || wait.value == contended_mutex ||
         (wait.value == contended_rwlock && command_of(wait) == FUTEX_WAIT_BITSET);
}

lock_owner owner_in(std::span<const std::byte, owner_memory_bytes> memory, const futex_wait& wait) {
  if (is_robust(wait)) return with_owner(lock_kind::robust_mutex, wait.value, wait);
  if (is_pi(wait)) {
    const auto word = process_reading::value_at<std::uint32_t>(memory, 0);
    return with_owner(lock_kind::pi_mutex, word, wait);
  }
  if (wait.value == contended_mutex) return mutex_owner_in(memory, wait);
  if (wait.value == contended_rwlock) return rwlock_owner_in(memory, wait);
  return {};
}

lock_owner read_lock_owner(const procfs& proc, const futex_wait& wait) {
  std::array<std::byte, owner_memory_bytes> memory{};
  const process_reading::process_memory process{wait.pid};
  if (!process.read(wait.address, memory)) return {{}, owner_reason::unreadable, 0};
  auto result = owner_in(memory, wait);
  if (!still_waits(proc, wait)) return {result.kind, owner_reason::wait_is_over, 0};
  if (result.owner != 0 && !is_thread_of(proc, wait.pid, result.owner))
    return {result.kind, owner_reason::not_alive, 0};
  return result;
}

}  // namespace stallscope::collect
