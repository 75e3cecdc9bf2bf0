// Hashes keys with a secret seed (SipHash-1-3, Aumasson and Bernstein 2012, with the reduced rounds
// that Rust and Ruby use for their tables), so that a client cannot choose keys that collide. The
// low bits select a slot of a table; shards are selected with the high bits.
//
// Cost: about 1 ns per eight bytes and 10 ns at the end. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace stallscope::store {

using hash_seed = std::array<std::uint64_t, 2>;

// A seed from getrandom(). Throws std::system_error if there are no random numbers.
hash_seed random_seed();

std::uint64_t key_hash(const hash_seed& seed, std::string_view key);

}  // namespace stallscope::store
