// Offsets in the structures of a HotSpot virtual machine, taken from its own tables, and the few
// constants that its tables lack. A version is accepted if its tables describe every field that a
// walk needs. The sources of the constants are in vm_layout.cpp. No system calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hotspot_frames/vm_tables.hpp"
#include "hotspot_frames/words.hpp"
#include "unwind/registers.hpp"

namespace stallscope::hotspot_frames {

// Frame offsets and registers of an architecture (frame_x86.hpp, frame_aarch64.hpp; DWARF numbers).
// The tables of a virtual machine do not contain them.
struct frame_conventions {
  unwind::architecture arch = unwind::architecture::x86_64;
  std::uint64_t sender_sp_below_fp = word;  // of an interpreter frame
  std::uint64_t method_below_fp = 3 * word;
  std::uint64_t bytecode_below_fp = 8 * word;
  std::uint64_t wrapper_below_fp = 6 * word;  // of the call stub's frame
  unsigned method_register = 3;               // rbx; at the entry of an interpreted method
  unsigned sender_sp_register = 13;           // there, too
  unsigned bytecode_register = 13;            // in an interpreted method

  [[nodiscard]] bool is_arm64() const noexcept { return arch == unwind::architecture::arm64; }
};

frame_conventions conventions_of(unwind::architecture arch, int major_version);

// Offsets in bytes from the start of the structure, unless another unit is named.
struct vm_layout {
  frame_conventions frames;
  // Code heaps.
  std::uint64_t heaps = 0;  // address of a pointer to GrowableArray<CodeHeap*>
  std::uint64_t array_length = 0;
  std::uint64_t array_data = 0;
  std::uint64_t heap_memory = 0;
  std::uint64_t heap_segments = 0;
  std::uint64_t heap_log2_segment = 0;
  std::uint64_t space_low_boundary = 0;
  std::uint64_t space_high_boundary = 0;
  std::uint64_t space_low = 0;
  std::uint64_t block_bytes = 0;  // size of HeapBlock, which precedes a blob
  std::uint64_t block_used = 0;

  // Code blobs and compiled methods.
  struct {
    std::uint64_t bytes = 0;  // size of nmethod, at least that of CodeBlob
    std::uint64_t name = 0;
    std::uint64_t size = 0;
    std::uint64_t frame_size = 0;  // in words
    std::uint64_t frame_complete = 0;
    bool frame_complete_is_short = false;
    std::uint64_t code_begin = 0;  // pointers before version 25, offsets (int) since
    std::uint64_t code_end = 0;
    std::uint64_t method = 0;
    std::uint64_t compile_id = 0;
    std::uint64_t level = 0;
    bool level_is_byte = false;
    std::uint64_t verified_entry = 0;  // a pointer, since 25 an offset (u2) from the code
    std::uint64_t deopt_handler = 0;   // a pointer, since 25 an offset (int) from the blob
    std::uint64_t orig_pc_offset = 0;
    std::uint64_t scopes_pcs = 0;
    std::uint64_t scopes_pcs_end = 0;
    std::uint64_t scopes_data = 0;  // a pointer, since 25 an offset in the immutable data
    std::uint64_t metadata = 0;
    std::uint64_t immutable_data = 0;   // since 25
    std::uint64_t mutable_data = 0;     // since 25
    std::uint64_t relocation_size = 0;  // since 25
    bool by_offsets = false;            // the form of version 25
  } blob;
  bool unsigned5_excludes_zero = false;

  // Methods and their names.
  struct {
    std::uint64_t constants_of_method = 0;  // Method::_constMethod
    std::uint64_t bytes = 0;                // size of ConstMethod; the bytecodes follow it
    std::uint64_t pool = 0;
    std::uint64_t code_size = 0;
    std::uint64_t name_index = 0;
    std::uint64_t flags = 0;
    std::uint32_t has_line_numbers = 0;
  } method;
  struct {
    std::uint64_t bytes = 0;  // size of ConstantPool; the entries follow it
    std::uint64_t holder = 0;
    std::uint64_t length = 0;
    std::uint64_t source_file = 0;
  } pool;
  // The calls that the methods of a class have resolved, for forwarding.hpp.
  struct {
    std::uint64_t cache_of_pool = 0;
    bool by_pointer = false;            // since 22: a pointer to a separate array
    std::uint64_t entries_pointer = 0;  // in the cache
    std::uint64_t first_entry = 0;      // in the cache or in the array
    std::uint64_t entry_bytes = 0;      // 0: not described
    std::uint64_t method_of_entry = 0;
  } calls;
  std::uint64_t klass_name = 0;
  std::uint64_t symbol_length = 0;
  std::uint64_t symbol_body = 0;

  // Entry frames and threads.
  std::uint64_t call_stub_return = 0;  // address of the pointer
  std::uint64_t wrapper_anchor = 0;
  std::uint64_t anchor_sp = 0;
  std::uint64_t anchor_pc = 0;
  std::uint64_t anchor_fp = 0;
  std::uint64_t thread_list = 0;  // address of the pointer to ThreadsList
  std::uint64_t list_length = 0;
  std::uint64_t list_threads = 0;
  std::uint64_t thread_anchor = 0;
  std::uint64_t thread_os = 0;
  std::uint64_t os_thread_id = 0;
};

struct layout_choice {
  std::optional<vm_layout> layout;
  std::string refusal;  // set if there is no layout
};

// `major_version` is the value of Abstract_VM_Version::_vm_major_version.
layout_choice layout_of(const vm_tables& tables, int major_version);

}  // namespace stallscope::hotspot_frames
