// Memory kernels: chains of loads for every level of the memory hierarchy, a stream larger than all
// caches, and loads that the store buffer cannot forward. run() is called by the runner's threads;
// construction touches the whole working set.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

// Working sets in bytes, by the level of the hierarchy that holds them.
struct working_sets {
  std::uint64_t l1 = 0;    // half the level 1 cache
  std::uint64_t l2 = 0;    // half the level 2 cache, at least twice level 1
  std::uint64_t l3 = 0;    // four times level 2, at most half of level 3, at least twice level 2
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
