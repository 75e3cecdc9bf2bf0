// The methods that were inlined at an instruction of a compiled method, from its debug information.
// The tables of a compiled method are read once, two system calls; an instruction costs a call per
// inlined method. They are untrusted input: chains and sizes are limited. Belongs to a single
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "hotspot_frames/code_cache.hpp"

namespace stallscope::hotspot_frames {

struct method_position {
  std::uint64_t method = 0;
  std::int32_t bytecode = -1;  // -1: unknown
};

class scope_table {
 public:
  // `memory` and `layout` must outlive the table.
  scope_table(const process_memory& memory, const vm_layout& layout);

  // The methods at an address, innermost first; the last is the compiled method. They are exact at
  // return addresses, except those of calls of stubs that reach no safepoint. Elsewhere they are
  // those of the next address that has debug information, or of the one before, if the code
  // returns in between or there is no next one. Without debug information, the compiled method
  // alone, with an unknown bytecode. `code` are the instructions of the blob.
  std::vector<method_position> at(const code_blob& blob, std::uint64_t pc,
                                  std::span<const std::byte> code);

 private:
  struct code_position {
    std::int32_t offset = 0;
    std::int32_t scope = 0;  // offset in the scope data; 0: none
  };
  struct blob_tables {
    std::uint64_t generation = 0;
    std::vector<code_position> positions;  // in order of offset
    std::vector<std::byte> scopes;
  };
  [[nodiscard]] std::int64_t scope_at(const blob_tables& tables, std::int64_t offset,
                                      std::span<const std::byte> code) const;
  const blob_tables& tables_of(const code_blob& blob);
  [[nodiscard]] blob_tables read(const code_blob& blob) const;

  const process_memory* memory_;
  const vm_layout* layout_;
  std::unordered_map<std::uint64_t, blob_tables> tables_;  // by address of the blob
  std::size_t cached_bytes_ = 0;
};

}  // namespace stallscope::hotspot_frames
