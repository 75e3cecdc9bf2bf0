#include "reader_process/sleep_flag.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace stallscope::reader_process {

void sleep_flag::wake_futex() noexcept {
  ::syscall(SYS_futex, &asleep_, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void sleep_flag::wait_on_futex(std::chrono::milliseconds limit) noexcept {
  const timespec timeout{limit.count() / 1000, limit.count() % 1000 * 1'000'000};
  ::syscall(SYS_futex, &asleep_, FUTEX_WAIT, 1, &timeout, nullptr, 0);
}

}  // namespace stallscope::reader_process
