// Kernels of the memory: chains of loads that each level of the hierarchy holds, a stream that none
// holds, and loads that the store buffer cannot serve.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

// The bytes that a kernel walks through, for the host's caches.
struct working_sets {
  std::uint64_t l1 = 0;    // half the level 1 cache
  std::uint64_t l2 = 0;    // half the level 2 cache, and at least twice level 1
  std::uint64_t l3 = 0;    // four times level 2, if that is no more than half of level 3
  std::uint64_t dram = 0;  // four times level 3 and at least 64 MiB, at most 2 GiB and the limit
};
working_sets working_sets_of(const cache_sizes& caches, std::uint64_t limit_bytes) noexcept;

std::unique_ptr<kernel_base> make_pointer_chase_l1(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_pointer_chase_l2(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_pointer_chase_l3(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_pointer_chase_dram(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_streaming(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_store_forwarding(const kernel_settings& setting);

}  // namespace stallscope::kernels
