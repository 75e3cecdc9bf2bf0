#include "v8_frames/code_table.hpp"

#include <algorithm>
#include <array>

#include "base/clock.hpp"

namespace stallscope::v8_frames {
namespace {

constexpr std::size_t chunk_bytes = 4096;
// The largest code that is searched backwards from an address in it.
constexpr std::uint64_t max_distance = std::uint64_t{1} << 20U;
constexpr std::size_t max_codes = 20'000;
constexpr std::size_t max_maps = 64;
constexpr std::size_t max_misses = 4096;
constexpr std::size_t max_literals = 512;
constexpr std::size_t max_table_bytes = std::size_t{256} << 10U;
constexpr std::size_t call_bytes = 16;
constexpr std::size_t deoptimization_items = 16;
constexpr std::size_t header_bytes = 16;
constexpr std::size_t code_bytes = 64;  // of Code up to its last field that is read
constexpr std::uint32_t wrapped_value_at = 8;

}  // namespace

const generated_code* code_table::at(std::uint64_t pc) {
  if (const auto* cached = known_at(pc)) return cached;
  if (misses_.contains(pc)) return nullptr;
  const auto begin_ns = monotonic_ns();
  auto code = search(pc);
  if (!code) {
    if (misses_.size() >= max_misses) misses_.clear();
    misses_.insert(pc);
    return nullptr;
  }
  read_contents(*code);
  if (known_.size() >= max_codes) known_.clear();
  // Code that overlaps is dead.
  auto next = known_.lower_bound(code->start);
  while (next != known_.end() && next->first < code->start + code->size) next = known_.erase(next);
  misses_.clear();
  code->checked_ns = begin_ns;
  return &(known_[code->start] = std::move(*code));
}

const generated_code* code_table::known_at(std::uint64_t pc) {
  auto after = known_.upper_bound(pc);
  if (after == known_.begin()) return nullptr;
  const auto at = std::prev(after);
  if (!at->second.contains(pc)) return nullptr;
  if (at->second.checked_ns >= sample_ns_) return &at->second;
  const auto read_ns = monotonic_ns();
  if (!unchanged(at->second)) {
    known_.erase(at);
    return nullptr;
  }
  at->second.checked_ns = read_ns;
  return &at->second;
}

void code_table::check_again(std::span<const std::uint64_t> pcs, std::uint64_t sample_ns) {
  sample_ns_ = sample_ns;
  checked_.clear();
  for (const auto pc : pcs) {
    const auto after = known_.upper_bound(pc);
    if (after == known_.begin() || !std::prev(after)->second.contains(pc)) continue;
    auto* code = &std::prev(after)->second;
    if (code->checked_ns >= sample_ns) continue;
    if (std::find(checked_.begin(), checked_.end(), code) == checked_.end())
      checked_.push_back(code);
  }
  if (checked_.empty()) return;
  read_.resize(checked_.size() * (header_bytes + code_bytes));
  ranges_.clear();
  std::span<std::byte> rest{read_};
  for (const auto* code : checked_) {
    ranges_.push_back({code->object, rest.first(header_bytes)});
    ranges_.push_back({address_of(code->code), rest.subspan(header_bytes, code_bytes)});
    rest = rest.subspan(header_bytes + code_bytes);
  }
  const auto read_ns = monotonic_ns();
  if (!heap_->read(ranges_)) return;  // at() checks one by one
  for (std::size_t i = 0; i < checked_.size(); ++i) {
    if (matches(*checked_[i], ranges_[2 * i].into, ranges_[2 * i + 1].into))
      checked_[i]->checked_ns = read_ns;
  }
}

bool code_table::unchanged(const generated_code& code) const {
  std::array<std::byte, header_bytes> header{};
  std::array<std::byte, code_bytes> object{};
  const std::array<process_reading::memory_range, 2> ranges{
      process_reading::memory_range{code.object, header},
      process_reading::memory_range{address_of(code.code), object}};
  return heap_->read(ranges) && matches(code, header, object);
}

bool code_table::matches(const generated_code& code, std::span<const std::byte> header,
                         std::span<const std::byte> object) const {
  const auto& version = fields_->version;
  if (value_at<std::uint64_t>(header, 0) != code.map) return false;
  if (!version.code_is_inline &&
      (value_at<std::uint64_t>(header, version.stream_code) != code.code ||
       value_at<std::uint64_t>(object, version.code_start) != code.start))
    return false;
  return value_at<std::uint32_t>(object, version.code_size) == code.size &&
         value_at<std::uint64_t>(object, version.code_deoptimization) == code.deoptimization;
}

std::optional<generated_code> code_table::search(std::uint64_t pc) {
  chunk_.resize(chunk_bytes);
  std::unordered_set<std::uint64_t> refused;
  std::uint64_t end = (pc & ~std::uint64_t{7}) + 8;
  while (pc - (end - 8) < max_distance && end > chunk_bytes) {
    const std::uint64_t begin = (end - 1) & ~std::uint64_t{chunk_bytes - 1};
    const auto bytes = std::span{chunk_}.first(static_cast<std::size_t>(end - begin));
    if (!heap_->read(begin, bytes)) return std::nullopt;
    for (std::size_t at = bytes.size(); at >= 8; at -= 8) {
      const auto word = value_at<std::uint64_t>(bytes, at - 8);
      if (!is_pointer(word)) continue;
      if (!maps_.contains(word)) {
        // The map is the same for all code of an isolate. Until it is known, each word that may be
        // a pointer is tried.
        if (!maps_.empty() || (word >> 48U) != 0 || refused.contains(word)) continue;
        const auto type = heap_->type_of_map(word);
        if (!type || *type != fields_->stream_type) {
          refused.insert(word);
          continue;
        }
      }
      if (auto code = object_at(begin + at - 8, word, pc)) {
        if (maps_.size() < max_maps) maps_.insert(word);
        return code;
      }
    }
    end = begin;
  }
  return std::nullopt;
}

std::optional<generated_code> code_table::object_at(std::uint64_t address, std::uint64_t map,
                                                    std::uint64_t pc) {
  const auto& version = fields_->version;
  generated_code code;
  code.object = address;
  code.map = map;
  code.start = address + version.stream_header;
  code.code = address + 1;
  std::array<std::byte, code_bytes> object{};
  if (!version.code_is_inline) {
    const auto pointer = heap_->field(address + 1, version.stream_code);
    if (!pointer || !is_pointer(*pointer)) return std::nullopt;
    code.code = *pointer;
  }
  if (!heap_->read(address_of(code.code), object)) return std::nullopt;
  if (!version.code_is_inline && value_at<std::uint64_t>(object, version.code_start) != code.start)
    return std::nullopt;
  code.size = value_at<std::uint32_t>(object, version.code_size);
  if (!code.contains(pc)) return std::nullopt;
  code.deoptimization = value_at<std::uint64_t>(object, version.code_deoptimization);
  const auto kind = value_at<std::uint32_t>(object, version.code_flags) & fields_->code_kind_mask;
  code.kind = kind == fields_->kind_baseline       ? code_kind::baseline
              : kind == fields_->kind_baseline + 1 ? code_kind::maglev
              : kind == fields_->kind_baseline + 2 ? code_kind::turbofan
              : kind == version.regexp_kind        ? code_kind::regexp
                                                   : code_kind::other;
  return code;
}

void code_table::read_contents(generated_code& code) {
  if (code.kind != code_kind::maglev && code.kind != code_kind::turbofan) return;
  const auto& version = fields_->version;
  const auto items = heap_->elements(code.deoptimization, deoptimization_items);
  const auto item = [&](std::uint32_t index) {
    return items && index < items->size() ? (*items)[index] : 0;
  };
  const auto function_of = [this, &version](std::uint64_t pointer) {
    auto function = functions_->of_shared_info(pointer);
    if (!function && version.wrapped_shared_info) {
      const auto inner = heap_->field(pointer, wrapped_value_at);
      if (inner) function = functions_->of_shared_info(*inner);
    }
    return function;
  };
  code.function = function_of(item(version.deopt_shared_info));
  const auto count = item(version.deopt_inlined_count);
  const auto inlined = is_smi(count) ? std::max(smi_value(count), 0) : 0;
  if (inlined > 0) {
    const auto literals = heap_->elements(
        item(version.deopt_literals), std::min(static_cast<std::size_t>(inlined), max_literals));
    if (literals) {
      for (const auto literal : *literals) code.literals.push_back(function_of(literal));
    }
    const auto calls = heap_->bytes(item(version.deopt_inlining_positions), max_table_bytes);
    for (std::size_t at = 0; calls && at + call_bytes <= calls->size(); at += call_bytes)
      code.calls.push_back(
          {value_at<std::uint64_t>(*calls, at), value_at<std::int32_t>(*calls, at + 8)});
  }
  const auto table = heap_->field(code.code, version.code_positions);
  if (!table) return;
  if (const auto encoded = heap_->bytes(*table, max_table_bytes))
    code.positions = position_table{*encoded};
}

}  // namespace stallscope::v8_frames
