// A segment's first block: whose it is, and, once nothing is written to it any more, where its
// records end. The latter lies in a sector of its own, so that writing it leaves the former alone.
// Costs a system call each way. Any thread.
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
    std::uint64_t checksum;  // of what goes before it, by the secret
  };
  struct seal {
    std::uint64_t end;  // 0: not sealed
    std::uint64_t checksum;
  };

  owner whose;
  std::array<std::byte, 512 - sizeof(owner)> zeros;
  seal records;

  [[nodiscard]] bool whole() const;        // it says whose it is
  [[nodiscard]] bool never_begun() const;  // not even a signature
  [[nodiscard]] bool sealed() const { return records.end != 0 || records.checksum != 0; }
  [[nodiscard]] bool whole_seal(const segment_name& name, const store::hash_seed& secret) const;
};

// `sealed_end`: 0 while records are written to it.
first_block make_first_block(const store_identity& store, const segment_name& name,
                             std::uint64_t sealed_end);
// Zeros where the file is shorter. Throws std::system_error, with its name, where it cannot be
// read.
first_block read_first_block(int file, const std::string& name);
// False: errno says why not.
bool write_first_block(int file, const first_block& made);

}  // namespace stallscope::value_log
