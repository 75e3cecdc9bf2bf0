#include "hotspot_frames/vm_layout.hpp"

namespace stallscope::hotspot_frames {
namespace {

// Verified on 17.0.15, 21.0.4 and 25.0.2. Versions between them have one of these forms.
constexpr int oldest_version = 17;
constexpr int newest_version = 25;
// The bytes of UNSIGNED5 numbers exclude zero from JDK 20 on (utilities/unsigned5.hpp).
constexpr int first_without_zero_bytes = 20;

// Reads required fields and keeps the name of the first that is missing.
class required_fields {
 public:
  explicit required_fields(const vm_tables& tables) : tables_{&tables} {}

  std::uint64_t offset(std::string_view field) { return required(tables_->offset(field), field); }
  std::uint64_t address(std::string_view field) { return required(tables_->address(field), field); }
  std::uint64_t size(std::string_view type) { return required(tables_->size_of(type), type); }
  // The first of two names that the tables contain.
  std::uint64_t offset(std::string_view field, std::string_view other) {
    const auto first = tables_->offset(field);
    return first ? *first : offset(other);
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  std::uint64_t required(std::optional<std::uint64_t> value, std::string_view name) {
    if (!value && missing_.empty()) missing_ = name;
    return value.value_or(0);
  }

  const vm_tables* tables_;
  std::string missing_;
};

void set_blob_offsets(vm_layout& layout, required_fields& fields) {
  auto& blob = layout.blob;
  blob.code_begin = fields.offset("CodeBlob::_code_offset");
  blob.code_end = fields.offset("CodeBlob::_data_offset");
  blob.method = fields.offset("nmethod::_method");
  blob.verified_entry = fields.offset("nmethod::_verified_entry_offset");
  blob.deopt_handler = fields.offset("nmethod::_deopt_handler_offset");
  blob.scopes_pcs_end = fields.offset("nmethod::_scopes_data_offset");
  blob.scopes_data = blob.scopes_pcs_end;
  blob.immutable_data = fields.offset("nmethod::_immutable_data");
  blob.mutable_data = fields.offset("CodeBlob::_mutable_data");
  blob.relocation_size = fields.offset("CodeBlob::_relocation_size");
}

void set_blob_pointers(vm_layout& layout, required_fields& fields) {
  auto& blob = layout.blob;
  blob.code_begin = fields.offset("CodeBlob::_code_begin");
  blob.code_end = fields.offset("CodeBlob::_code_end");
  blob.method = fields.offset("CompiledMethod::_method");
  blob.verified_entry = fields.offset("nmethod::_verified_entry_point");
  blob.deopt_handler = fields.offset("CompiledMethod::_deopt_handler_begin");
  blob.scopes_pcs_end = fields.offset("nmethod::_dependencies_offset");
  blob.scopes_data = fields.offset("CompiledMethod::_scopes_data_begin");
  blob.metadata = fields.offset("nmethod::_metadata_offset");
}

void set_code(vm_layout& layout, required_fields& fields, const vm_tables& tables) {
  layout.heaps = fields.address("CodeCache::_heaps");
  layout.array_length = fields.offset("GrowableArrayBase::_len");
  layout.array_data = fields.offset("GrowableArray<int>::_data");
  layout.heap_memory = fields.offset("CodeHeap::_memory");
  layout.heap_segments = fields.offset("CodeHeap::_segmap");
  layout.heap_log2_segment = fields.offset("CodeHeap::_log2_segment_size");
  layout.space_low_boundary = fields.offset("VirtualSpace::_low_boundary");
  layout.space_high_boundary = fields.offset("VirtualSpace::_high_boundary");
  layout.space_low = fields.offset("VirtualSpace::_low");
  layout.block_bytes = fields.size("HeapBlock");
  layout.block_used = fields.offset("HeapBlock::Header::_used");
  auto& blob = layout.blob;
  blob.bytes = fields.size("nmethod");
  blob.name = fields.offset("CodeBlob::_name");
  blob.size = fields.offset("CodeBlob::_size");
  blob.frame_size = fields.offset("CodeBlob::_frame_size");
  blob.frame_complete = fields.offset("CodeBlob::_frame_complete_offset");
  blob.compile_id = fields.offset("nmethod::_compile_id");
  blob.level = fields.offset("nmethod::_comp_level");
  blob.level_is_byte = tables.size_of("CompLevel") == 1;
  blob.orig_pc_offset = fields.offset("nmethod::_orig_pc_offset");
  blob.scopes_pcs = fields.offset("nmethod::_scopes_pcs_offset");
  blob.by_offsets = tables.offset("CodeBlob::_code_offset").has_value();
  blob.frame_complete_is_short = blob.by_offsets;
  if (blob.by_offsets) {
    set_blob_offsets(layout, fields);
  } else {
    set_blob_pointers(layout, fields);
  }
}

void set_names(vm_layout& layout, required_fields& fields, const vm_tables& tables) {
  layout.method.constants_of_method = fields.offset("Method::_constMethod");
  layout.method.bytes = fields.size("ConstMethod");
  layout.method.pool = fields.offset("ConstMethod::_constants");
  layout.method.code_size = fields.offset("ConstMethod::_code_size");
  layout.method.name_index = fields.offset("ConstMethod::_name_index");
  layout.method.flags = fields.offset("ConstMethod::_flags", "ConstMethod::_flags._flags");
  auto flag = tables.constant("ConstMethod::_has_linenumber_table");
  if (!flag) flag = tables.constant("ConstMethodFlags::_misc_has_linenumber_table");
  layout.method.has_line_numbers = static_cast<std::uint32_t>(flag.value_or(0));
  layout.pool.bytes = fields.size("ConstantPool");
  layout.pool.holder = fields.offset("ConstantPool::_pool_holder");
  layout.pool.length = fields.offset("ConstantPool::_length");
  layout.pool.source_file = fields.offset("ConstantPool::_source_file_name_index");
  layout.klass_name = fields.offset("Klass::_name");
  layout.symbol_length = fields.offset("Symbol::_length");
  layout.symbol_body = fields.offset("Symbol::_body");
}

// Without these fields a walk has fewer names.
void set_calls(vm_layout& layout, const vm_tables& tables) {
  auto& calls = layout.calls;
  const auto cache = tables.offset("ConstantPool::_cache");
  if (!cache) return;
  calls.cache_of_pool = *cache;
  const auto pointer = tables.offset("ConstantPoolCache::_resolved_method_entries");
  calls.by_pointer = pointer.has_value();
  if (calls.by_pointer) {
    const auto data = tables.offset("Array<ResolvedMethodEntry>::_data");
    calls.entries_pointer = *pointer;
    calls.first_entry = data.value_or(0);
    // The method is the first field (oops/resolvedMethodEntry.hpp).
    calls.entry_bytes = data ? tables.size_of("ResolvedMethodEntry").value_or(0) : 0;
    return;
  }
  const auto header = tables.size_of("ConstantPoolCache");
  const auto method = tables.offset("ConstantPoolCacheEntry::_f1");
  calls.first_entry = header.value_or(0);
  calls.method_of_entry = method.value_or(0);
  if (header && method) calls.entry_bytes = tables.size_of("ConstantPoolCacheEntry").value_or(0);
}

void set_threads(vm_layout& layout, required_fields& fields) {
  layout.call_stub_return = fields.address("StubRoutines::_call_stub_return_address");
  layout.wrapper_anchor = fields.offset("JavaCallWrapper::_anchor");
  layout.anchor_sp = fields.offset("JavaFrameAnchor::_last_Java_sp");
  layout.anchor_pc = fields.offset("JavaFrameAnchor::_last_Java_pc");
  layout.anchor_fp = fields.offset("JavaFrameAnchor::_last_Java_fp");
  layout.thread_list = fields.address("ThreadsSMRSupport::_java_thread_list");
  layout.list_length = fields.offset("ThreadsList::_length");
  layout.list_threads = fields.offset("ThreadsList::_threads");
  layout.thread_anchor = fields.offset("JavaThread::_anchor");
  layout.thread_os = fields.offset("JavaThread::_osthread", "Thread::_osthread");
  layout.os_thread_id = fields.offset("OSThread::_thread_id");
}

}  // namespace

frame_conventions conventions_of(unwind::architecture arch, int major_version) {
  if (arch == unwind::architecture::x86_64) return {};
  constexpr int first_with_sender_sp_in_x19 = 20;
  return {.arch = arch,
          .bytecode_below_fp = 9 * word,
          .wrapper_below_fp = 8 * word,
          .method_register = 12,
          .sender_sp_register = major_version >= first_with_sender_sp_in_x19 ? 19U : 13U,
          .bytecode_register = 22};
}

layout_choice layout_of(const vm_tables& tables, int major_version) {
  const std::string name = "OpenJDK " + std::to_string(major_version);
  if (major_version < oldest_version || major_version > newest_version)
    return {{}, name + ": unsupported version (17 to 25 are supported)"};
  required_fields fields{tables};
  vm_layout layout;
  layout.frames = conventions_of(unwind::this_architecture(), major_version);
  layout.unsigned5_excludes_zero = major_version >= first_without_zero_bytes;
  set_code(layout, fields, tables);
  set_names(layout, fields, tables);
  set_calls(layout, tables);
  set_threads(layout, fields);
  if (!fields.missing().empty()) return {{}, name + ": its tables lack " + fields.missing()};
  return {layout, {}};
}

}  // namespace stallscope::hotspot_frames
