#include "dwarf/entry_reference.hpp"

#include "dwarf/malformed.hpp"

namespace stallscope::dwarf {
namespace {

constexpr int max_references = 16;

}  // namespace

std::optional<entry_reference> reference_of(const unit& owner, const value& reference) noexcept {
  switch (reference.kind) {
    case form::ref1:
    case form::ref2:
    case form::ref4:
    case form::ref8:
    case form::ref_udata:
      if (reference.number > owner.header.end - owner.header.offset) return std::nullopt;
      return entry_reference{owner.header.offset + reference.number, false};
    case form::ref_addr:
      return entry_reference{reference.number, false};
    case form::gnu_ref_alt:
    case form::ref_sup4:
    case form::ref_sup8:
      return entry_reference{reference.number, true};
    default:
      return std::nullopt;
  }
}

std::string_view name_reader::name_of(const entry_reference& entry) {
  auto& names = entry.supplementary ? supplementary_names_ : names_;
  const auto known = names.find(entry.offset);
  if (known != names.end()) return known->second;
  const std::string_view name = readable_name(entry);
  names.emplace(entry.offset, name);
  return name;
}

// Returns from both branches: GCC 12 leaves a variable that is assigned in the first one without a
// value if read_name() throws.
std::string_view name_reader::readable_name(const entry_reference& entry) {
  try {
    return read_name(entry);
  } catch (const malformed&) {
    return {};
  }
}

std::string_view name_reader::read_name(entry_reference entry) {
  std::string_view plain;
  std::string_view linkage;
  for (int count = 0; count < max_references; ++count) {
    const auto next = follow(entry, plain, linkage);
    if (!linkage.empty()) return linkage;
    if (!next) break;
    entry = *next;
  }
  return plain;
}

std::optional<entry_reference> name_reader::follow(const entry_reference& entry,
                                                   std::string_view& plain,
                                                   std::string_view& linkage) {
  if (entry.supplementary && supplementary_ == nullptr) return std::nullopt;
  debug_file& file = entry.supplementary ? *supplementary_ : main_;
  const auto index = file.index_of(entry.offset);
  if (!index) return std::nullopt;
  const unit& owner = file.whole_unit_at(*index);
  if (entry.offset < owner.header.first_entry) return std::nullopt;
  byte_reader reader(owner.bytes, static_cast<std::size_t>(entry.offset));
  const std::uint64_t code = reader.uleb128();
  if (code == 0) return std::nullopt;
  const abbreviation_table& table = *owner.abbreviations;
  std::optional<entry_reference> next;
  for (const attribute_spec& spec : table.attributes(table.at(code))) {
    const value content = table.read(reader, spec, owner.header.format);
    if (reader.failed()) throw malformed("an entry that ends early");
    if (spec.name == attribute::linkage_name || spec.name == attribute::mips_linkage_name) {
      linkage = text(file, owner, content);
    } else if (spec.name == attribute::name && plain.empty()) {
      plain = text(file, owner, content);
    } else if (spec.name == attribute::abstract_origin || spec.name == attribute::specification) {
      next = reference_of(owner, content);
      if (next) next->supplementary |= entry.supplementary;
    }
  }
  return next;
}

std::string_view name_reader::text(debug_file& file, const unit& owner, const value& content) {
  if (!is_supplementary(content.kind)) {
    return text_of(file.content(), owner, content).value_or(std::string_view{});
  }
  if (supplementary_ == nullptr) return {};
  return supplementary_->content().str.text(content.number);
}

}  // namespace stallscope::dwarf
