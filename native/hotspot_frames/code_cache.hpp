// The code that a HotSpot virtual machine has generated: a program counter is located in a code
// heap by its segment map, and the blob that contains it is described once. Blobs are replaced at
// any time, so unchanged() reads the identities of those used by a walk again, with a single call.
// A new blob costs three system calls, a known one none. The process is untrusted input: every
// value is checked and the memory of the cache is limited. Belongs to a single thread.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hotspot_frames/vm_layout.hpp"
#include "process_reading/process_memory.hpp"

namespace stallscope::hotspot_frames {

using process_reading::memory_range;

enum class blob_kind : std::uint8_t {
  compiled_method,
  native_wrapper,  // calls a native method
  interpreter,
  vtable_stubs,
  stub_routines,  // without a fixed frame size
  runtime_stub,
};

struct code_blob {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint64_t generation = 0;  // changes if other code takes its place
  std::uint64_t checked_ns = 0;  // when its generation was last the same
  blob_kind kind = blob_kind::runtime_stub;
  std::string_view name;  // valid as long as the cache
  std::uint64_t code_begin = 0;
  std::uint64_t code_end = 0;
  std::uint64_t frame_bytes = 0;
  std::uint64_t frame_complete = 0;  // address of the first instruction with a complete frame
  // Of compiled methods and native wrappers.
  std::uint64_t method = 0;
  int level = 0;  // 1 to 3: C1, 4: C2
  std::uint64_t verified_entry = 0;
  std::uint64_t deopt_handler = 0;
  std::uint64_t orig_pc_offset = 0;
  std::uint64_t scopes_pcs = 0;
  std::uint64_t scopes_pcs_end = 0;
  std::uint64_t scopes_data = 0;
  std::uint64_t metadata = 0;

  [[nodiscard]] bool contains(std::uint64_t pc) const noexcept {
    return pc >= address && pc - address < size;
  }
  [[nodiscard]] bool has_method() const noexcept {
    return kind == blob_kind::compiled_method || kind == blob_kind::native_wrapper;
  }
};

// A blob as it was when it was used.
struct blob_identity {
  std::uint64_t address = 0;
  std::uint64_t generation = 0;
  bool operator==(const blob_identity&) const = default;
  bool operator<(const blob_identity& other) const noexcept { return address < other.address; }
};

class code_cache {
 public:
  // `memory` and `layout` must outlive the cache.
  code_cache(const process_memory& memory, const vm_layout& layout);

  // Reads the bounds of the code heaps. Returns false if they cannot be read.
  bool read_heaps();
  // Whether the address is reserved for generated code.
  [[nodiscard]] bool owns(std::uint64_t pc) const noexcept;
  // Returns nullptr if no blob contains the address. The result is valid until the next call of
  // find() or unchanged(), which may remove it.
  const code_blob* find(std::uint64_t pc);
  // The instructions of a blob, at most 64 KiB from its code's start, read once.
  std::span<const std::byte> code(const code_blob& blob);
  // Reads the identities of blobs with methods again. Blobs that were replaced are removed; returns
  // whether all are the same. A blob counts as the same while its memory cannot be read. A blob
  // that was the same before and after a sample was the same at the sample.
  bool unchanged(std::span<const blob_identity> blobs);
  // The two parts of unchanged(), to be read together with other memory: adds what must be read,
  // and compares it. The blobs must be the same.
  void add_identities(std::span<const blob_identity> blobs, std::vector<memory_range>& ranges);
  bool compare_identities(std::span<const blob_identity> blobs, std::uint64_t read_ns);

 private:
  struct heap {
    std::uint64_t low = 0;
    std::uint64_t reserved_end = 0;
    std::uint64_t segment_map = 0;
    unsigned log2_segment = 0;
  };
  struct cached_blob {
    code_blob blob;
    std::vector<std::byte> code;
  };
  [[nodiscard]] const heap* heap_of(std::uint64_t pc) const noexcept;
  [[nodiscard]] std::optional<std::uint64_t> blob_address(std::uint64_t pc) const;
  [[nodiscard]] std::optional<code_blob> describe(std::uint64_t address);
  void set_compiled(code_blob& blob, std::span<const std::byte> bytes) const;
  std::string_view name_at(std::uint64_t address);

  const process_memory* memory_;
  const vm_layout* layout_;
  std::vector<heap> heaps_;
  std::map<std::uint64_t, cached_blob> blobs_;  // by address
  std::unordered_map<std::uint64_t, std::string> names_;
  std::vector<std::array<std::byte, 4>> identities_;
};

}  // namespace stallscope::hotspot_frames
