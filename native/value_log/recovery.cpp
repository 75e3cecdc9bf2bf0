#include "value_log/recovery.hpp"

#include <algorithm>
#include <utility>

#include "value_log/segment_scan.hpp"

namespace stallscope::value_log {
namespace {

location location_of(const record& what, std::uint32_t segment, std::uint64_t offset) {
  return {.sequence = what.sequence,
          .expires_ms = what.expires_ms,
          .segment = segment,
          .offset = static_cast<std::uint32_t>(offset),
          .value_bytes = what.kind == record_kind::value
                             ? static_cast<std::uint32_t>(what.value.size())
                             : location::no_value,
          .records = 1,
          .counted_from = 0};
}

void tell_damage(recovery_report& report, const std::string& name, const damaged_part& part) {
  report.damaged_bytes += part.to - part.from;
  report.messages.push_back(name + ": " + std::to_string(part.to - part.from) +
                            " bytes at offset " + std::to_string(part.from) +
                            " are damaged: what they held is lost, what it replaced may be back, "
                            "the rest is read; the file is kept: put a sound copy in its place, "
                            "if there is one");
}

// What is in `damaged` is told there. Compaction has several writes under way: a kill may leave
// one out, whose records are still where they were. Clients' writes come one after another.
void tell_gap(recovery_report& report, const std::string& name, const damaged_part& gap) {
  report.messages.push_back(name + ": " + std::to_string(gap.to - gap.from) + " bytes at offset " +
                            std::to_string(gap.from) +
                            " are zeros, before whole records: a write that never came, of "
                            "compaction that was broken off (then nothing is lost) or in a loss "
                            "of power; or what lay there is lost");
}

bool told_as_damage(const scanned_segment& scanned, const damaged_part& gap) {
  return std::ranges::any_of(scanned.damaged, [&](const damaged_part& part) {
    return part.from < gap.to && gap.from < part.to;
  });
}

void tell(recovery_report& report, const std::string& name, const scanned_segment& scanned) {
  for (const damaged_part& part : scanned.damaged) tell_damage(report, name, part);
  for (const damaged_part& gap : scanned.gaps) {
    if (!told_as_damage(scanned, gap)) tell_gap(report, name, gap);
  }
  if (scanned.tail_bytes == 0) return;
  report.cut_bytes += scanned.tail_bytes;
  report.messages.push_back(
      name + ": cut off behind offset " + std::to_string(scanned.end) +
      ": what follows is not a whole record, as a write leaves it that was not "
      "finished");
}

// One whose secret went with its first block: nobody can read it, and nobody here takes it away.
void leave(segment& unread, std::uint64_t bytes, const std::string& name, recovery_report& report) {
  unread.end = bytes;
  unread.damaged = true;
  ++report.segments;
  report.damaged_bytes += bytes;
  report.messages.push_back(
      name +
      ": its first block is damaged, and nothing behind it is a record of "
      "this store: it is left as it is; remove it if nothing in it is needed");
}

void recover_segment(log_content& content, std::uint32_t number, recovery_report& report) {
  log_segments& segments = content.segments();
  const std::string name = segments.name_of(number);
  segment_file opened = segments.directory().open({segments.shard(), number});
  auto found = std::make_shared<segment>();
  found->number = number;
  found->direct = opened.direct;
  found->unsynced = true;  // by a server that did not come to it, perhaps
  segments.add(found);
  std::uint64_t of_records = 0;
  std::uint64_t records = 0;
  const auto visit = [&](const record& what, std::uint64_t offset) {
    of_records += record_bytes(what.key.size(), what.value.size());
    ++records;
    content.recovered(what, location_of(what, number, offset));
  };
  scanned_segment scanned = scan_segment(opened, name, content.secret(), visit);
  found->file = std::move(opened.file);
  if (!opened.sound_head && records == 0 && scanned.tail_bytes != 0) {
    found->sealed = true;
    return leave(*found, opened.bytes, name, report);
  }
  // Only what was written to when the server ended has a write that was not finished; whether this
  // was, its first block cannot say any more.
  if (!opened.sound_head && scanned.tail_bytes != 0) {
    scanned.damaged.push_back({opened.bytes - scanned.tail_bytes, opened.bytes});
    scanned.tail_bytes = 0;
    scanned.end = opened.bytes;
  }
  tell(report, name, scanned);
  if (records == 0 && scanned.damaged.empty()) {
    segments.remove(number);
    return;
  }
  found->end = scanned.end;
  found->damaged = !scanned.damaged.empty();
  found->gaps = !scanned.gaps.empty();
  found->dead_bytes += found->record_bytes_held() - of_records;
  report.records += records;
  ++report.segments;
  if (!opened.sound_head) {
    report.messages.push_back(name +
                              ": its first block is damaged: its records are read by what "
                              "other files say");
  }
  const bool ended = opened.sealed_end && opened.bytes <= padded(scanned.end, block_bytes);
  if (ended || !opened.sound_head) {
    found->sealed = true;  // its file stays as it is
  } else {
    segments.seal(found);
  }
}

}  // namespace

recovery_report recover(log_content& content) {
  recovery_report report;
  const log_segments& segments = content.segments();
  for (const std::uint32_t number : segments.directory().segments_of(segments.shard())) {
    recover_segment(content, number, report);
  }
  content.all_recovered();
  return report;
}

}  // namespace stallscope::value_log
