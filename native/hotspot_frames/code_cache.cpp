#include "hotspot_frames/code_cache.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "hotspot_frames/words.hpp"

namespace stallscope::hotspot_frames {
namespace {

using process_reading::memory_range;
using process_reading::value_at;

constexpr std::size_t max_heaps = 8;
constexpr std::size_t max_blobs = 8192;
constexpr std::size_t max_names = 1024;
constexpr std::string_view other_name = "generated code";
constexpr std::size_t max_code_bytes = std::size_t{64} << 10U;
constexpr std::size_t longest_blob_name = 64;
constexpr std::size_t largest_blob_structure = 1024;
constexpr std::uint64_t largest_blob = std::uint64_t{16} << 20U;
constexpr std::uint64_t largest_frame = std::uint64_t{1} << 20U;
constexpr unsigned longest_log2_segment = 16;
constexpr int longest_segment_chain = 1024;
constexpr std::uint8_t free_segment = 0xff;

blob_kind kind_of_name(std::string_view name) {
  if (name == "nmethod") return blob_kind::compiled_method;
  if (name == "native nmethod") return blob_kind::native_wrapper;
  if (name == "Interpreter") return blob_kind::interpreter;
  if (name == "vtable chunks") return blob_kind::vtable_stubs;
  return name.starts_with("StubRoutines") ? blob_kind::stub_routines : blob_kind::runtime_stub;
}

std::uint64_t int_at(std::span<const std::byte> bytes, std::uint64_t offset) {
  return static_cast<std::uint64_t>(
      std::max(value_at<std::int32_t>(bytes, static_cast<std::size_t>(offset)), 0));
}
std::uint64_t pointer_at(std::span<const std::byte> bytes, std::uint64_t offset) {
  return value_at<std::uint64_t>(bytes, static_cast<std::size_t>(offset));
}

}  // namespace

code_cache::code_cache(const process_memory& memory, const vm_layout& layout)
    : memory_{&memory}, layout_{&layout} {}

bool code_cache::read_heaps() {
  std::uint64_t array = 0;
  std::int32_t length = 0;
  std::uint64_t data = 0;
  if (!memory_->read_value(layout_->heaps, array) ||
      !memory_->read_value(array + layout_->array_length, length) || length <= 0 ||
      static_cast<std::size_t>(length) > max_heaps ||
      !memory_->read_value(array + layout_->array_data, data))
    return false;
  std::vector<heap> heaps;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(length); ++i) {
    std::uint64_t address = 0;
    heap next;
    std::int32_t log2_segment = 0;
    if (!memory_->read_value(data + i * word, address) ||
        !memory_->read_value(address + layout_->heap_memory + layout_->space_low_boundary,
                             next.low) ||
        !memory_->read_value(address + layout_->heap_memory + layout_->space_high_boundary,
                             next.reserved_end) ||
        !memory_->read_value(address + layout_->heap_segments + layout_->space_low,
                             next.segment_map) ||
        !memory_->read_value(address + layout_->heap_log2_segment, log2_segment))
      return false;
    if (log2_segment < 0 || static_cast<unsigned>(log2_segment) > longest_log2_segment)
      return false;
    next.log2_segment = static_cast<unsigned>(log2_segment);
    heaps.push_back(next);
  }
  heaps_ = std::move(heaps);
  return true;
}

const code_cache::heap* code_cache::heap_of(std::uint64_t pc) const noexcept {
  for (const auto& candidate : heaps_) {
    if (pc >= candidate.low && pc < candidate.reserved_end) return &candidate;
  }
  return nullptr;
}

bool code_cache::owns(std::uint64_t pc) const noexcept { return heap_of(pc) != nullptr; }

// A byte of the segment map is the distance to the start of the block in segments, or a step
// towards it if the distance is larger than a byte.
std::optional<std::uint64_t> code_cache::blob_address(std::uint64_t pc) const {
  const heap* const holder = heap_of(pc);
  if (holder == nullptr) return std::nullopt;
  std::uint64_t segment = (pc - holder->low) >> holder->log2_segment;
  for (int i = 0; i < longest_segment_chain; ++i) {
    std::uint8_t step = 0;
    if (!memory_->read_value(holder->segment_map + segment, step) || step == free_segment ||
        step > segment)
      return std::nullopt;
    if (step == 0) return holder->low + (segment << holder->log2_segment) + layout_->block_bytes;
    segment -= step;
  }
  return std::nullopt;
}

// Names are never removed, because blobs refer to them.
std::string_view code_cache::name_at(std::uint64_t address) {
  if (const auto cached = names_.find(address); cached != names_.end()) return cached->second;
  if (names_.size() >= max_names) return other_name;
  std::array<std::byte, longest_blob_name> bytes{};
  const std::size_t count = memory_->read_some(address, bytes);
  std::string text;
  for (std::size_t i = 0; i < count && bytes.at(i) != std::byte{0}; ++i)
    text.push_back(static_cast<char>(bytes.at(i)));
  if (text.empty()) return {};
  return names_.emplace(address, std::move(text)).first->second;
}

void code_cache::set_compiled(code_blob& blob, std::span<const std::byte> bytes) const {
  const auto& fields = layout_->blob;
  blob.method = pointer_at(bytes, fields.method);
  blob.level = fields.level_is_byte ? value_at<std::int8_t>(bytes, fields.level)
                                    : value_at<std::int32_t>(bytes, fields.level);
  blob.orig_pc_offset = int_at(bytes, fields.orig_pc_offset);
  if (fields.by_offsets) {
    const std::uint64_t immutable = pointer_at(bytes, fields.immutable_data);
    blob.verified_entry = blob.code_begin + value_at<std::uint16_t>(bytes, fields.verified_entry);
    blob.deopt_handler = blob.address + int_at(bytes, fields.deopt_handler);
    blob.scopes_pcs = immutable + int_at(bytes, fields.scopes_pcs);
    blob.scopes_pcs_end = immutable + int_at(bytes, fields.scopes_pcs_end);
    blob.scopes_data = immutable + int_at(bytes, fields.scopes_data);
    blob.metadata = pointer_at(bytes, fields.mutable_data) + int_at(bytes, fields.relocation_size);
  } else {
    blob.verified_entry = pointer_at(bytes, fields.verified_entry);
    blob.deopt_handler = pointer_at(bytes, fields.deopt_handler);
    blob.scopes_pcs = blob.address + int_at(bytes, fields.scopes_pcs);
    blob.scopes_pcs_end = blob.address + int_at(bytes, fields.scopes_pcs_end);
    blob.scopes_data = pointer_at(bytes, fields.scopes_data);
    blob.metadata = blob.address + int_at(bytes, fields.metadata);
  }
}

std::optional<code_blob> code_cache::describe(std::uint64_t address) {
  const auto& fields = layout_->blob;
  std::array<std::byte, largest_blob_structure> buffer{};
  if (fields.bytes > buffer.size()) return std::nullopt;
  const auto bytes = std::span{buffer}.first(static_cast<std::size_t>(fields.bytes));
  std::uint8_t used = 0;
  const std::array<memory_range, 2> ranges{{{address - layout_->block_bytes + layout_->block_used,
                                             std::as_writable_bytes(std::span{&used, 1})},
                                            {address, bytes}}};
  if (!memory_->read(ranges) || used == 0) return std::nullopt;
  const auto name = name_at(pointer_at(bytes, fields.name));
  if (name.empty()) return std::nullopt;
  code_blob blob;
  blob.address = address;
  blob.name = name;
  blob.kind = kind_of_name(name);
  blob.size = int_at(bytes, fields.size);
  blob.frame_bytes = int_at(bytes, fields.frame_size) * word;
  if (fields.by_offsets) {
    blob.code_begin = address + int_at(bytes, fields.code_begin);
    blob.code_end = address + int_at(bytes, fields.code_end);
  } else {
    blob.code_begin = pointer_at(bytes, fields.code_begin);
    blob.code_end = pointer_at(bytes, fields.code_end);
  }
  const auto complete = fields.frame_complete_is_short
                            ? value_at<std::int16_t>(bytes, fields.frame_complete)
                            : value_at<std::int32_t>(bytes, fields.frame_complete);
  if (blob.size > largest_blob || blob.frame_bytes > largest_frame ||
      !blob.contains(blob.code_begin) || blob.code_end < blob.code_begin ||
      blob.code_end - blob.code_begin > blob.size)
    return std::nullopt;
  blob.frame_complete =
      complete < 0 ? blob.code_end : blob.code_begin + static_cast<std::uint64_t>(complete);
  blob.generation = int_at(bytes, fields.compile_id);
  if (blob.has_method()) set_compiled(blob, bytes);
  return blob;
}

const code_blob* code_cache::find(std::uint64_t pc) {
  auto after = blobs_.upper_bound(pc);
  if (after != blobs_.begin()) {
    const auto& before = std::prev(after)->second.blob;
    if (before.contains(pc)) return &before;
  }
  const auto address = blob_address(pc);
  if (!address) return nullptr;
  const auto blob = describe(*address);
  if (!blob || !blob->contains(pc)) return nullptr;
  if (blobs_.size() >= max_blobs) blobs_.clear();
  // Blobs that it overlaps were freed.
  after = blobs_.lower_bound(blob->address);
  while (after != blobs_.end() && after->first < blob->address + blob->size)
    after = blobs_.erase(after);
  if (after != blobs_.begin() && std::prev(after)->second.blob.contains(blob->address))
    blobs_.erase(std::prev(after));
  return &blobs_.insert_or_assign(blob->address, cached_blob{*blob, {}}).first->second.blob;
}

std::span<const std::byte> code_cache::code(const code_blob& blob) {
  const auto position = blobs_.find(blob.address);
  if (position == blobs_.end()) return {};
  auto& code = position->second.code;
  if (code.empty()) {
    code.resize(static_cast<std::size_t>(
        std::min<std::uint64_t>(blob.code_end - blob.code_begin, max_code_bytes)));
    code.resize(memory_->read_some(blob.code_begin, code));
  }
  return code;
}

void code_cache::add_identities(std::span<const blob_identity> blobs,
                                std::vector<memory_range>& ranges) {
  identities_.assign(blobs.size(), {});
  for (std::size_t i = 0; i < blobs.size(); ++i)
    ranges.push_back({blobs[i].address + layout_->blob.compile_id, identities_[i]});
}

bool code_cache::unchanged(std::span<const blob_identity> blobs) {
  std::vector<memory_range> ranges;
  add_identities(blobs, ranges);
  const auto read_ns = monotonic_ns();
  return !memory_->read(ranges) || compare_identities(blobs, read_ns);
}

bool code_cache::compare_identities(std::span<const blob_identity> blobs, std::uint64_t read_ns) {
  std::vector<std::uint64_t> replaced;
  for (std::size_t i = 0; i < blobs.size(); ++i) {
    const auto position = blobs_.find(blobs[i].address);
    if (int_at(identities_[i], 0) != blobs[i].generation) {
      replaced.push_back(blobs[i].address);
    } else if (position != blobs_.end()) {
      position->second.blob.checked_ns = read_ns;
    }
  }
  for (const auto address : replaced) blobs_.erase(address);
  return replaced.empty();
}

}  // namespace stallscope::hotspot_frames
