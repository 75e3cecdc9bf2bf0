// An object in memory that this process shares with its later children. Costs a mapping; its pages
// are allocated when they are written. The members must be safe to use from several processes.
//
//   const shared_memory<channel> memory;
//   memory->stop = true;
#pragma once

#include <sys/mman.h>

#include <cerrno>
#include <new>
#include <system_error>
#include <type_traits>

namespace stallscope::reader_process {

template <class T>
class shared_memory {
 public:
  static_assert(std::is_trivially_destructible_v<T>);

  // Throws std::system_error if there is no memory.
  shared_memory() {
    void* memory =
        ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    object_ = ::new (memory) T;
  }
  shared_memory(const shared_memory&) = delete;
  shared_memory& operator=(const shared_memory&) = delete;
  shared_memory(shared_memory&&) = delete;
  shared_memory& operator=(shared_memory&&) = delete;
  ~shared_memory() { ::munmap(object_, sizeof(T)); }

  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }

 private:
  T* object_ = nullptr;
};

}  // namespace stallscope::reader_process
