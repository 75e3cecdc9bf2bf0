// Hashes keys with a secret seed (SipHash-1-3, Aumasson and Bernstein 2012, with the fewer rounds
// that Rust and Ruby use for their tables), so that a client cannot choose keys that all fall into
// one place. Its low bits place a key in a table; who spreads keys over shards takes the high ones.
// About a nanosecond a word of eight bytes and ten at the end. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace stallscope::store {

using hash_seed = std::array<std::uint64_t, 2>;

// From the kernel's random numbers; throws std::system_error where there are none.
hash_seed random_seed();

std::uint64_t key_hash(const hash_seed& seed, std::string_view key);

}  // namespace stallscope::store
