// Held-out kernels: no constant of the modelled source was fitted to them. They were added after
// its constants were frozen, and test the model on unseen programs. run() is called by the runner's
// threads; table.cpp states the iterations per call.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

// Returns the size of the hash table of hash-lookups, a power of two. It is at least the working
// set of the pointer chase if the limit allows it, so that a similar part of it stays in the
// caches.
std::uint64_t table_bytes(std::uint64_t chase_bytes, std::uint64_t limit_bytes) noexcept;

std::unique_ptr<kernel_base> make_hash_lookups(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_copy_and_add(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_multiply_chain(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_mixed_generators(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_opcode_dispatch(const kernel_settings& setting);

}  // namespace stallscope::kernels
