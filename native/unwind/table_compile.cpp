// Compiles the call frame information of a binary: parses the entries, makes their ranges disjoint
// and writes the rows in address order, so that the rows need no sorting.
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

// A range [start, end), described by an entry of a section or by a stub of procedure linkage.
struct code_range {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint32_t section = 0;
  std::uint32_t function = 0;
};

class compiler {
 public:
  explicit compiler(const elf_image& image)
      : image_{image}, content_{std::make_unique<table_reader::content>()} {
    content_->arch = image.arch();
    content_->entry = image.entry();
    content_->segments = image.segments();
    content_->first_address = UINT64_MAX;
    for (const segment& part : content_->segments) {
      content_->first_address = std::min(content_->first_address, part.address);
    }
  }

  // Adds a section. Sections added earlier take precedence.
  void add(std::optional<section_bytes> section, frame_format format, bool unbounded = false) {
    if (!section) return;
    sections_.push_back(std::move(*section));
    entries_.push_back(read_frame_entries(image_, sections_.back(), format, unbounded));
    content_->bad_entries += entries_.back().bad;
    fill_gaps(disjoint(ranges_of(static_cast<std::uint32_t>(entries_.size() - 1))));
  }

  void count_bad() { ++content_->bad_entries; }

  // Adds rules for the stubs of procedure linkage that no section describes.
  void add_stubs() {
    stubs_ = procedure_linkage(image_);
    std::vector<code_range> ranges;
    for (std::size_t index = 0; index < stubs_.size(); ++index) {
      ranges.push_back(
          {stubs_[index].start, stubs_[index].end, by_stub, static_cast<std::uint32_t>(index)});
    }
    fill_gaps(disjoint(std::move(ranges)));
  }

  table finish() {
    std::size_t bytes = 0;
    for (const section_bytes& section : sections_) bytes += section.bytes.size();
    reserve_rows(bytes);
    row_writer rows(*content_);
    frame_program program(image_, rows, 4 * std::uint64_t{bytes} + 4096);
    for (const code_range& range : ranges_) {
      if (range.section == by_stub) {
        write_stub(range, rows);
        continue;
      }
      const frame_entries& entries = entries_[range.section];
      const function_entry& function = entries.functions[range.function];
      const common_entry& common = entries.commons[function.common];
      if (!program.run(function, common, range.start, range.end)) ++content_->bad_entries;
    }
    rows.finish();
    content_->frame_pointer_share = program.frame_pointer_share();
    return table_reader::make(std::move(content_));
  }

 private:
  // A row needs about five bytes of section data. Unused reserved memory is never touched.
  void reserve_rows(std::size_t bytes) {
    content_->starts.reserve(bytes / 4);
    content_->rule_numbers.reserve(bytes / 4);
  }

  void write_stub(const code_range& where, row_writer& rows) const {
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

  std::vector<code_range> ranges_of(std::uint32_t section) const {
    const auto& functions = entries_[section].functions;
    std::vector<code_range> ranges;
    ranges.reserve(functions.size());
    for (std::size_t index = 0; index < functions.size(); ++index) {
      const function_entry& function = functions[index];
      ranges.push_back({function.start, function.end, section, static_cast<std::uint32_t>(index)});
    }
    return ranges;
  }

  // Sorts the ranges of a section's entries and removes overlaps. If ranges overlap, the range with
  // the later start applies from its start on, as in the search table of .eh_frame_hdr. If ranges
  // start at the same address, the first in the section applies. Ranges beyond the 4 GiB limit of a
  // row are dropped.
  std::vector<code_range> disjoint(std::vector<code_range> ranges) const {
    std::erase_if(ranges, [&](const code_range& range) {
      return range.start < content_->first_address ||
             range.end - content_->first_address > UINT32_MAX;
    });
    const auto earlier = [](const code_range& left, const code_range& right) {
      return std::tie(left.start, left.function) < std::tie(right.start, right.function);
    };
    if (!std::is_sorted(ranges.begin(), ranges.end(), earlier)) {
      std::sort(ranges.begin(), ranges.end(), earlier);
    }
    const auto same_start = [](const code_range& left, const code_range& right) {
      return left.start == right.start;
    };
    ranges.erase(std::unique(ranges.begin(), ranges.end(), same_start), ranges.end());
    for (std::size_t index = 1; index < ranges.size(); ++index) {
      ranges[index - 1].end = std::min(ranges[index - 1].end, ranges[index].start);
    }
    return ranges;
  }

  // Adds the parts of `more` that no range covers yet.
  void fill_gaps(const std::vector<code_range>& more) {
    if (ranges_.empty()) {
      ranges_ = more;
      return;
    }
    std::vector<code_range> merged;
    merged.reserve(ranges_.size() + more.size());
    auto existing = ranges_.begin();
    for (code_range range : more) {
      for (; existing != ranges_.end() && existing->end <= range.start; ++existing)
        merged.push_back(*existing);
      for (; existing != ranges_.end() && existing->start < range.end; ++existing) {
        if (range.start < existing->start) {
          merged.push_back({range.start, existing->start, range.section, range.function});
        }
        range.start = existing->end;
        if (existing->end > range.end) break;
        merged.push_back(*existing);
      }
      if (range.start < range.end) merged.push_back(range);
    }
    merged.insert(merged.end(), existing, ranges_.end());
    ranges_ = std::move(merged);
  }

  const elf_image& image_;
  std::unique_ptr<table_reader::content> content_;
  std::vector<section_bytes> sections_;
  std::vector<frame_entries> entries_;
  std::vector<linkage_stub> stubs_;
  std::vector<code_range> ranges_;
};

// Adds .eh_frame. If section headers are stripped, locates it through PT_GNU_EH_FRAME.
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

// Adds .debug_frame of a separate debug file. A damaged debug file must not invalidate the table of
// the program.
void add_debug_file(compiler& to, const elf_image& image, int descriptor) {
  try {
    const elf_image file(descriptor);
    if (file.arch() != image.arch()) throw table_error("debug file for another architecture");
    to.add(file.section(".debug_frame"), frame_format::debug_frame);
  } catch (const table_error&) {
    to.count_bad();
  }
}

table compiled(const elf_image& image, int debug_descriptor) {
  if (image.segments().empty()) throw table_error("ELF file without loaded segments");
  compiler builder(image);
  add_eh_frame(builder, image);
  builder.add(image.section(".debug_frame"), frame_format::debug_frame);
  if (debug_descriptor >= 0) add_debug_file(builder, image, debug_descriptor);
  builder.add_stubs();
  return builder.finish();
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
