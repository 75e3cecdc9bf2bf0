// Compiles a binary's call frame information: entries are read, their ranges made disjoint, and the
// rows written in order of address, so that nothing large is sorted.
#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "unwind/frame_entries.hpp"
#include "unwind/frame_program.hpp"
#include "unwind/procedure_linkage.hpp"
#include "unwind/row_writer.hpp"
#include "unwind/table_content.hpp"

namespace stallscope::unwind {
namespace {

constexpr std::uint32_t by_stub = UINT32_MAX;

// [start, end) is described by one entry of one section, or as a stub of procedure linkage.
struct covered {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint32_t section = 0;
  std::uint32_t function = 0;
};

class compiler {
 public:
  explicit compiler(const elf_image& image)
      : image_{image}, made_{std::make_unique<table_reader::content>()} {
    made_->arch = image.arch();
    made_->entry = image.entry();
    made_->segments = image.segments();
    made_->first_address = UINT64_MAX;
    for (const segment& each : made_->segments) {
      made_->first_address = std::min(made_->first_address, each.address);
    }
  }

  // Sections are added in the order of their authority.
  void add(std::optional<section_bytes> section, frame_format format, bool unbounded = false) {
    if (!section) return;
    sections_.push_back(std::move(*section));
    entries_.push_back(read_frame_entries(image_, sections_.back(), format, unbounded));
    made_->bad_entries += entries_.back().bad;
    fill_gaps(disjoint(ranges_of(static_cast<std::uint32_t>(entries_.size() - 1))));
  }

  void count_bad() { ++made_->bad_entries; }

  // Describes the stubs of procedure linkage that no section describes.
  void add_stubs() {
    stubs_ = procedure_linkage(image_);
    std::vector<covered> ranges;
    for (std::size_t index = 0; index < stubs_.size(); ++index) {
      ranges.push_back(
          {stubs_[index].start, stubs_[index].end, by_stub, static_cast<std::uint32_t>(index)});
    }
    fill_gaps(disjoint(std::move(ranges)));
  }

  table finish() {
    std::size_t bytes = 0;
    for (const section_bytes& each : sections_) bytes += each.bytes.size();
    reserve_rows(bytes);
    row_writer rows(*made_);
    frame_program program(image_, rows, 4 * std::uint64_t{bytes} + 4096);
    for (const covered& each : covered_) {
      if (each.section == by_stub) {
        write_stub(each, rows);
        continue;
      }
      const frame_entries& entries = entries_[each.section];
      const function_entry& function = entries.functions[each.function];
      const common_entry& common = entries.commons[function.common];
      if (!program.run(function, common, each.start, each.end)) ++made_->bad_entries;
    }
    rows.finish();
    made_->frame_pointer_share = program.frame_pointer_share();
    return table_reader::make(std::move(made_));
  }

 private:
  // A row takes about five bytes of a section; room that is not used is never touched.
  void reserve_rows(std::size_t bytes) {
    made_->starts.reserve(bytes / 4);
    made_->rule_numbers.reserve(bytes / 4);
  }

  void write_stub(const covered& where, row_writer& rows) const {
    const linkage_stub& stub = stubs_[where.function];
    const bool is_x86_64 = image_.arch() == architecture::x86_64;
    const unsigned column = is_x86_64 ? x86_64::rip : arm64::lr;
    const unsigned sp = is_x86_64 ? x86_64::rsp : arm64::sp;
    frame_state state;
    state.cfa_register = static_cast<std::uint8_t>(sp);
    state.cfa_offset = static_cast<std::int32_t>(stub.pushed + (is_x86_64 ? 8 : 0));
    if (is_x86_64 || stub.link_saved) {
      state.set(column, {.value = -8, .how = recovery::at_offset});
    }
    rows.write(where.start, where.end,
               rows.pool().number_of(state, static_cast<std::uint8_t>(column), false));
  }

  std::vector<covered> ranges_of(std::uint32_t section) const {
    const auto& functions = entries_[section].functions;
    std::vector<covered> ranges;
    ranges.reserve(functions.size());
    for (std::size_t index = 0; index < functions.size(); ++index) {
      const function_entry& each = functions[index];
      ranges.push_back({each.start, each.end, section, static_cast<std::uint32_t>(index)});
    }
    return ranges;
  }

  // Sorts the ranges of one section's entries. Where they overlap the one that begins later holds
  // from its start on, as for the search tables of .eh_frame_hdr; of those that begin together the
  // first in the section. What is farther from the first address than a row can say is left out.
  std::vector<covered> disjoint(std::vector<covered> ranges) const {
    std::erase_if(ranges, [&](const covered& each) {
      return each.start < made_->first_address || each.end - made_->first_address > UINT32_MAX;
    });
    const auto earlier = [](const covered& left, const covered& right) {
      return std::tie(left.start, left.function) < std::tie(right.start, right.function);
    };
    if (!std::is_sorted(ranges.begin(), ranges.end(), earlier)) {
      std::sort(ranges.begin(), ranges.end(), earlier);
    }
    const auto same_start = [](const covered& left, const covered& right) {
      return left.start == right.start;
    };
    ranges.erase(std::unique(ranges.begin(), ranges.end(), same_start), ranges.end());
    for (std::size_t index = 1; index < ranges.size(); ++index) {
      ranges[index - 1].end = std::min(ranges[index - 1].end, ranges[index].start);
    }
    return ranges;
  }

  // Takes of `more` what nothing covers yet.
  void fill_gaps(const std::vector<covered>& more) {
    if (covered_.empty()) {
      covered_ = more;
      return;
    }
    std::vector<covered> merged;
    merged.reserve(covered_.size() + more.size());
    auto held = covered_.begin();
    for (covered each : more) {
      for (; held != covered_.end() && held->end <= each.start; ++held) merged.push_back(*held);
      for (; held != covered_.end() && held->start < each.end; ++held) {
        if (each.start < held->start) {
          merged.push_back({each.start, held->start, each.section, each.function});
        }
        each.start = held->end;
        if (held->end > each.end) break;
        merged.push_back(*held);
      }
      if (each.start < each.end) merged.push_back(each);
    }
    merged.insert(merged.end(), held, covered_.end());
    covered_ = std::move(merged);
  }

  const elf_image& image_;
  std::unique_ptr<table_reader::content> made_;
  std::vector<section_bytes> sections_;
  std::vector<frame_entries> entries_;
  std::vector<linkage_stub> stubs_;
  std::vector<covered> covered_;
};

// .eh_frame by its section, or where sections were stripped by the header that the loader maps.
void add_eh_frame(compiler& to, const elf_image& image) {
  if (auto section = image.section(".eh_frame")) {
    to.add(std::move(section), frame_format::eh_frame);
    return;
  }
  const auto header = image.frame_header_address();
  const auto address = header ? frame_address(image, *header) : std::nullopt;
  if (!address) return;
  to.add(image.loaded(*address, UINT64_MAX), frame_format::eh_frame, true);
}

// The .debug_frame of a separate file; what is wrong with that file must not cost the program's own
// table.
void add_debug_file(compiler& to, const elf_image& image, int descriptor) {
  try {
    const elf_image file(descriptor);
    if (file.arch() != image.arch()) throw table_error("a debug file of another architecture");
    to.add(file.section(".debug_frame"), frame_format::debug_frame);
  } catch (const table_error&) {
    to.count_bad();
  }
}

table compiled(const elf_image& image, int debug_descriptor) {
  if (image.segments().empty()) throw table_error("an ELF file without loaded segments");
  compiler made(image);
  add_eh_frame(made, image);
  made.add(image.section(".debug_frame"), frame_format::debug_frame);
  if (debug_descriptor >= 0) add_debug_file(made, image, debug_descriptor);
  made.add_stubs();
  return made.finish();
}

}  // namespace

table table::compile(int descriptor, int debug_descriptor) {
  const elf_image image(descriptor);
  return compiled(image, debug_descriptor);
}

table table::compile(std::span<const std::byte> image) {
  const elf_image file(image);
  return compiled(file, -1);
}

}  // namespace stallscope::unwind
