// Kernels of the memory: chains of loads that each level of the hierarchy holds, a stream that none
// holds, and loads that the store buffer cannot serve.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

// The bytes that a kernel walks through, for the host's caches.
struct WorkingSets {
  std::uint64_t l1 = 0;    // half the level 1 cache
  std::uint64_t l2 = 0;    // half the level 2 cache, and at least twice level 1
  std::uint64_t l3 = 0;    // four times level 2, if that is no more than half of level 3
  std::uint64_t dram = 0;  // four times level 3 and at least 64 MiB, at most 2 GiB and the limit
};
WorkingSets working_sets(const CacheSizes& caches, std::uint64_t limit_bytes) noexcept;

std::unique_ptr<Kernel> make_pointer_chase_l1(const Setting& setting);
std::unique_ptr<Kernel> make_pointer_chase_l2(const Setting& setting);
std::unique_ptr<Kernel> make_pointer_chase_l3(const Setting& setting);
std::unique_ptr<Kernel> make_pointer_chase_dram(const Setting& setting);
std::unique_ptr<Kernel> make_streaming(const Setting& setting);
std::unique_ptr<Kernel> make_store_forwarding(const Setting& setting);

}  // namespace stallscope::kernels
