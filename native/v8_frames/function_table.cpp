#include "v8_frames/function_table.hpp"

#include <algorithm>
#include <array>

#include "base/clock.hpp"

namespace stallscope::v8_frames {
namespace {

constexpr std::array<std::string_view, 6> kind_names{"interpreted", "baseline", "maglev",
                                                     "turbofan",    "regexp",   "other"};
constexpr std::size_t max_functions = 100'000;
constexpr std::size_t max_readings = 20'000;
constexpr std::size_t max_scripts = 20'000;
constexpr std::size_t max_name = 256;
constexpr std::size_t max_file = 1024;
constexpr std::size_t shared_info_bytes = 64;
constexpr std::uint64_t max_source_bytes = std::uint64_t{16} << 20U;
constexpr std::uint64_t max_all_source_bytes = std::uint64_t{96} << 20U;
constexpr std::size_t max_scope_words = 512;
// ScopeInfo, from its second word: flags, parameters, locals.
constexpr std::size_t scope_flags = 0;
constexpr std::size_t scope_locals = 2;
constexpr std::size_t table_of_names_from = 75;  // this many names are in a hash table
constexpr std::uint32_t scope_type_mask = 15;
constexpr std::uint32_t module_scope = 5;
constexpr std::uint32_t has_saved_class_variable = 1U << 10U;
constexpr std::uint32_t has_function_name = 3U << 12U;
constexpr std::uint32_t has_inferred_name = 1U << 14U;

}  // namespace

std::uint32_t script_lines::line_at(std::int32_t offset) const {
  if (!has_lines || offset < 0) return 0;
  const auto before =
      std::lower_bound(newlines.begin(), newlines.end(), static_cast<std::uint32_t>(offset));
  return static_cast<std::uint32_t>(before - newlines.begin()) + 1;
}

std::optional<std::uint64_t> function_table::shared_info_of(std::uint64_t function) {
  std::array<std::byte, 48> object{};
  for (int forwarded = 0; forwarded < 2; ++forwarded) {
    if (!is_pointer(function) || !heap_->read(address_of(function), object)) return std::nullopt;
    const auto map = value_at<std::uint64_t>(object, 0);
    // An object that the scavenger has moved holds its new address instead of its map.
    if (!is_pointer(map)) {
      function = map + 1;
      continue;
    }
    const auto type = heap_->type_of_map(map);
    if (!type || *type < fields_->first_function_type || *type > fields_->last_function_type ||
        fields_->function_shared + 8 > object.size())
      return std::nullopt;
    return value_at<std::uint64_t>(object, fields_->function_shared);
  }
  return std::nullopt;
}

std::optional<known_function> function_table::of_function(std::uint64_t function) {
  if (readings_.size() >= max_readings) readings_.clear();
  auto& reading = readings_[function];
  if (reading.read_ns != 0 && reading.read_ns >= sample_ns_) return reading.function;
  reading.read_ns = monotonic_ns();
  const auto shared_info = shared_info_of(function);
  reading.function = shared_info ? of_shared_info(*shared_info) : std::nullopt;
  return reading.function;
}

std::optional<known_function> function_table::of_shared_info(std::uint64_t shared_info) {
  std::array<std::byte, shared_info_bytes> object{};
  if (!is_pointer(shared_info) || fields_->shared_script + 8 > object.size() ||
      !heap_->read(address_of(shared_info), object))
    return std::nullopt;
  const auto type = heap_->type_of_map(value_at<std::uint64_t>(object, 0));
  if (!type || *type != fields_->shared_info_type) return std::nullopt;
  const auto name = value_at<std::uint64_t>(object, fields_->shared_name);
  const auto script = value_at<std::uint64_t>(object, fields_->shared_script);
  const auto cached = known_.find(shared_info);
  if (cached != known_.end() && cached->second.name == name && cached->second.script == script)
    return cached->second.function;
  const auto* lines = script_of(script);
  auto scope = facts_of(name);
  managed_frames::function_facts facts{.name = std::move(scope.name)};
  if (facts.name.empty()) facts.name = U"(anonymous)";
  if (lines != nullptr) {
    facts.file = lines->file;
    facts.line = lines->line_at(scope.start);
  }
  if (records_.size() >= max_functions) return std::nullopt;
  const known_function function{records_.size(), lines};
  records_.push_back({std::move(facts)});
  known_[shared_info] = {name, script, function};
  return function;
}

bool function_table::equal(const known_function& first, const known_function& second) const {
  if (first.index == second.index) return true;
  const auto& facts = records_.at(first.index).facts;
  const auto& other = records_.at(second.index).facts;
  return facts.name == other.name && facts.file == other.file && facts.line == other.line;
}

std::uint64_t function_table::id_of(const known_function& function, code_kind kind) {
  auto& record = records_.at(function.index);
  auto& id = record.ids.at(static_cast<std::size_t>(kind));
  if (id == 0) {
    record.facts.kind = kind_names.at(static_cast<std::size_t>(kind));
    id = log_->add(pid_, record.facts);
  }
  return id;
}

const script_lines* function_table::script_of(std::uint64_t script) {
  if (!is_pointer(script)) return nullptr;
  std::array<std::byte, 32> object{};
  if (!heap_->read(address_of(script), object)) return nullptr;
  const auto type = heap_->type_of_map(value_at<std::uint64_t>(object, 0));
  if (!type || *type != fields_->script_type) return nullptr;
  const auto name = value_at<std::uint64_t>(object, fields_->script_name);
  const auto source = value_at<std::uint64_t>(object, fields_->script_source);
  const auto cached = scripts_.find(script);
  if (cached != scripts_.end() && cached->second.source == source && cached->second.name == name)
    return &cached->second;
  if (scripts_.size() >= max_scripts) return nullptr;
  script_lines lines{heap_->text(name, max_file).value_or(U""), source, name};
  if (source_bytes_ < max_all_source_bytes) {
    if (auto newlines = heap_->newlines(source, max_source_bytes)) {
      source_bytes_ += newlines->empty() ? 0 : newlines->back();
      lines.newlines = std::move(*newlines);
      lines.has_lines = true;
    }
  }
  // An address that now has another script keeps the old entry alive for its functions.
  if (cached != scripts_.end()) {
    cached->second = std::move(lines);
    return &cached->second;
  }
  return &scripts_.emplace(script, std::move(lines)).first->second;
}

function_table::scope_facts function_table::facts_of(std::uint64_t name_or_scope) {
  if (!is_pointer(name_or_scope)) return {};
  const auto type = heap_->type_of(name_or_scope);
  if (type && *type == fields_->scope_info_type) return facts_of_scope(name_or_scope);
  return {heap_->text(name_or_scope, max_name).value_or(U""), -1};
}

function_table::scope_facts function_table::facts_of_scope(std::uint64_t scope) {
  std::array<std::uint64_t, max_scope_words> words{};
  std::size_t count = max_scope_words;
  // Most scopes are small, and a page may end behind them.
  while (count >= 8 &&
         !heap_->read(address_of(scope) + 8, std::as_writable_bytes(std::span{words}.first(count))))
    count /= 2;
  if (count < 8) return {};
  const auto& version = fields_->version;
  const auto flags = version.scope_flags_are_smi
                         ? static_cast<std::uint32_t>(smi_value(words[scope_flags]))
                         : static_cast<std::uint32_t>(words[scope_flags]);
  const auto listed = smi_value(words[scope_locals]);
  if (listed < 0 || !is_smi(words[scope_locals])) return {};
  const auto locals = static_cast<std::size_t>(listed);
  scope_facts facts;
  std::size_t at = scope_locals + 1;
  if (version.scope_has_positions) {
    facts.start = smi_value(words[at]);
    at += 2;
    if ((flags & scope_type_mask) == module_scope) ++at;
  }
  at += locals >= table_of_names_from ? 1 : locals;
  at += locals;
  if ((flags & has_saved_class_variable) != 0) ++at;
  const auto name_at = [&](std::size_t index) {
    if (index >= count || !is_pointer(words.at(index))) return std::u32string{};
    return heap_->text(words.at(index), max_name).value_or(U"");
  };
  if ((flags & has_function_name) != 0) {
    facts.name = name_at(at);
    at += 2;
  }
  if ((flags & has_inferred_name) != 0) {
    if (facts.name.empty()) facts.name = name_at(at);
    ++at;
  }
  if (!version.scope_has_positions && at < count && is_smi(words.at(at)))
    facts.start = smi_value(words.at(at));
  return facts;
}

std::uint64_t function_table::unnamed(std::string_view reason) {
  auto& id = fixed_[std::string{reason}.append("?")];
  if (id == 0) id = log_->add(pid_, {.kind = "unknown", .reason = reason});
  return id;
}

std::uint64_t function_table::fixed(std::string_view name, std::string_view kind) {
  auto& id = fixed_[std::string{kind}.append(":").append(name)];
  if (id == 0) {
    managed_frames::function_facts facts{.kind = kind};
    facts.name.assign(name.begin(), name.end());
    facts.file = U"[V8]";
    id = log_->add(pid_, facts);
  }
  return id;
}

}  // namespace stallscope::v8_frames
