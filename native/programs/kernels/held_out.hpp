// Kernels that no constant of the modelled source was found with: they were written without
// knowledge of it and added after its constants were frozen, and tell how it does on programs that
// it has not seen.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

// The size of the table of hash-lookups, a power of two: no less than the chase's working set, so
// that as little of it stays in the caches, where the limit allows that.
std::uint64_t table_bytes(std::uint64_t chase_bytes, std::uint64_t limit_bytes) noexcept;

std::unique_ptr<kernel_base> make_hash_lookups(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_copy_and_add(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_multiply_chain(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_mixed_generators(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_opcode_dispatch(const kernel_settings& setting);

}  // namespace stallscope::kernels
