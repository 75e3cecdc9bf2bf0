#include "failing_allocations.hpp"

#include <cstdlib>
#include <new>
#include <optional>

namespace {

thread_local std::optional<failing_allocations::plan> current_plan;
thread_local bool has_failed = false;

bool fails() noexcept {
  if (!current_plan) return false;
  if (current_plan->succeed != 0) {
    --current_plan->succeed;
    return false;
  }
  if (current_plan->only_one_fails) current_plan.reset();
  has_failed = true;
  return true;
}

}  // namespace

extern "C" {
void* __real_malloc(std::size_t bytes);                     // NOLINT: names of the linker
void* __real_calloc(std::size_t count, std::size_t bytes);  // NOLINT
void* __wrap_malloc(std::size_t bytes) {                    // NOLINT
  return fails() ? nullptr : __real_malloc(bytes);
}
void* __wrap_calloc(std::size_t count, std::size_t bytes) {  // NOLINT
  return fails() ? nullptr : __real_calloc(count, bytes);
}
}

namespace {

void* allocate(std::size_t bytes, std::size_t alignment = 0) noexcept {
  if (fails()) return nullptr;
  if (alignment == 0) return __real_malloc(bytes == 0 ? 1 : bytes);
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment = 0) {
  void* made = allocate(bytes, alignment);
  if (made == nullptr) throw std::bad_alloc();
  return made;
}

std::size_t number(std::align_val_t alignment) { return static_cast<std::size_t>(alignment); }

}  // namespace

void* operator new(std::size_t bytes) { return allocate_or_throw(bytes); }
void* operator new[](std::size_t bytes) { return allocate_or_throw(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, number(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, number(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return allocate(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return allocate(bytes);
}
void operator delete(void* made) noexcept { std::free(made); }
void operator delete[](void* made) noexcept { std::free(made); }
void operator delete(void* made, std::size_t /*bytes*/) noexcept { std::free(made); }
void operator delete[](void* made, std::size_t /*bytes*/) noexcept { std::free(made); }
void operator delete(void* made, std::align_val_t /*alignment*/) noexcept { std::free(made); }
void operator delete[](void* made, std::align_val_t /*alignment*/) noexcept { std::free(made); }
void operator delete(void* made, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  std::free(made);
}
void operator delete[](void* made, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  std::free(made);
}

namespace failing_allocations {

void begin(const plan& failing) {
  has_failed = false;
  current_plan = failing;
}

bool end() {
  current_plan.reset();
  return has_failed;
}

}  // namespace failing_allocations
