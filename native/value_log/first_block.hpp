// The first block of a segment: the identity of the store and segment and, once the segment is
// sealed, the end of its records. The seal has a separate sector, so that writing it does not touch
// the identity. Cost: one system call per read or write. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "value_log/data_directory.hpp"

namespace stallscope::value_log {

struct first_block {
  struct owner {
    std::array<char, 16> signature;
    std::uint32_t shards;
    segment_name name;
    std::uint32_t unused;
    store::hash_seed keys;
    store::hash_seed secret;
    std::uint64_t checksum;  // of the preceding fields, keyed with the secret
  };
  struct seal {
    std::uint64_t end;  // 0: not sealed
    std::uint64_t checksum;
  };

  owner identity;
  std::array<std::byte, 512 - sizeof(owner)> zeros;
  seal records;

  [[nodiscard]] bool whole() const;        // the identity is valid
  [[nodiscard]] bool never_begun() const;  // there is no signature
  [[nodiscard]] bool sealed() const { return records.end != 0 || records.checksum != 0; }
  [[nodiscard]] bool whole_seal(const segment_name& name, const store::hash_seed& secret) const;
};

// `sealed_end`: 0 while the segment is being written.
first_block make_first_block(const store_identity& store, const segment_name& name,
                             std::uint64_t sealed_end);
// Bytes beyond the end of the file read as zeros. Throws std::system_error with the name if the
// read fails.
first_block read_first_block(int file, const std::string& name);
// Returns false and sets errno if the write fails.
bool write_first_block(int file, const first_block& made);

}  // namespace stallscope::value_log
