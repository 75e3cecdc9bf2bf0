// The owner of a lock of glibc, from the memory at its futex. The layouts are part of glibc's
// ABI since 2.25: a mutex has its owner at 8 and its kind at 16, a rwlock its writer at 24. Other
// libraries have no owner there; the analysis accepts an owner only if the call chain of the waiter
// is in pthread_mutex_lock() or a similar function.
//
//   const auto owner = read_lock_owner(proc, wait);
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/procfs.hpp"
#include "collect/futex_wait.hpp"

namespace stallscope::collect {

enum class lock_kind : std::uint32_t {
  none,
  mutex,
  pi_mutex,
  robust_mutex,
  rwlock_read,
  rwlock_write
};

enum class owner_reason : std::uint32_t {
  known,
  not_a_lock,   // no mutex or rwlock of glibc has such values
  not_set,      // the lock is being released or taken
  not_alive,    // the owner is not another thread of the process
  unreadable,   // no permission, or no such memory
  wait_is_over  // the waiter does not wait for this address any more
};

struct lock_owner {
  lock_kind kind = lock_kind::none;
  owner_reason reason = owner_reason::not_a_lock;
  pid_t owner = 0;  // 0: not known
};

const char* name_of(lock_kind kind);
const char* text_of(owner_reason reason);

// Whether a wait with these arguments may be for a lock that has an owner in memory.
bool may_have_owner(const futex_wait& wait);

// The memory that decides begins at the futex.
inline constexpr std::size_t owner_memory_bytes = 20;

// The owner by the bytes at the futex, without a check of the thread.
lock_owner owner_in(std::span<const std::byte, owner_memory_bytes> memory, const futex_wait& wait);

// Reads the memory, then checks that the owner exists and that the waiter still waits. May block as
// long as memory of the process blocks.
lock_owner read_lock_owner(const procfs& proc, const futex_wait& wait);

}  // namespace stallscope::collect
