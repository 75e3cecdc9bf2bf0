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

void report_damage(recovery_report& report, const std::string& name, const damaged_part& part) {
  report.damaged_bytes += part.to - part.from;
  report.messages.push_back(name + ": " + std::to_string(part.to - part.from) +
                            " bytes at offset " + std::to_string(part.from) +
                            " are damaged: their records are lost, older values may be back, "
                            "the rest was read; the file is kept: replace it with an intact copy "
                            "if there is one");
}

// `damaged` parts are reported there. Compaction has several writes in flight, so a kill may leave
// one out; its records are still in their old place. Writes of clients are sequential.
void report_gap(recovery_report& report, const std::string& name, const damaged_part& gap) {
  report.messages.push_back(name + ": " + std::to_string(gap.to - gap.from) + " bytes at offset " +
                            std::to_string(gap.from) +
                            " are zeros before whole records: either a write of compaction that "
                            "was interrupted (then nothing is lost), or data lost in a power "
                            "failure");
}

bool is_reported_as_damage(const scanned_segment& scanned, const damaged_part& gap) {
  return std::ranges::any_of(scanned.damaged, [&](const damaged_part& part) {
    return part.from < gap.to && gap.from < part.to;
  });
}

void report_parts(recovery_report& report, const std::string& name,
                  const scanned_segment& scanned) {
  for (const damaged_part& part : scanned.damaged) report_damage(report, name, part);
  for (const damaged_part& gap : scanned.gaps) {
    if (!is_reported_as_damage(scanned, gap)) report_gap(report, name, gap);
  }
  if (scanned.tail_bytes == 0) return;
  report.cut_bytes += scanned.tail_bytes;
  report.messages.push_back(name + ": cut off behind offset " + std::to_string(scanned.end) +
                            ": no whole record follows, as after a write that was not "
                            "finished");
}

// A segment whose secret was lost with its first block: it cannot be read and is not removed.
void leave(segment& unread, std::uint64_t bytes, const std::string& name, recovery_report& report) {
  unread.end = bytes;
  unread.damaged = true;
  ++report.segments;
  report.damaged_bytes += bytes;
  report.messages.push_back(name +
                            ": the first block is damaged and no record of this store follows: "
                            "the file is left as it is; remove it if its contents are not needed");
}

void recover_segment(log_content& content, std::uint32_t number, recovery_report& report) {
  log_segments& segments = content.segments();
  const std::string name = segments.name_of(number);
  segment_file opened = segments.directory().open({segments.shard(), number});
  auto recovered = std::make_shared<segment>();
  recovered->number = number;
  recovered->direct = opened.direct;
  recovered->unsynced = true;  // the previous server may not have synced it
  segments.add(recovered);
  std::uint64_t of_records = 0;
  std::uint64_t records = 0;
  const auto visit = [&](const record& what, std::uint64_t offset) {
    of_records += record_bytes(what.key.size(), what.value.size());
    ++records;
    content.recovered(what, location_of(what, number, offset));
  };
  scanned_segment scanned = scan_segment(opened, name, content.secret(), visit);
  recovered->file = std::move(opened.file);
  if (!opened.sound_head && records == 0 && scanned.tail_bytes != 0) {
    recovered->sealed = true;
    return leave(*recovered, opened.bytes, name, report);
  }
  // Only the segment in use when the server ended can have an unfinished write. The first block
  // cannot show whether this was that segment.
  if (!opened.sound_head && scanned.tail_bytes != 0) {
    scanned.damaged.push_back({opened.bytes - scanned.tail_bytes, opened.bytes});
    scanned.tail_bytes = 0;
    scanned.end = opened.bytes;
  }
  report_parts(report, name, scanned);
  if (records == 0 && scanned.damaged.empty()) {
    segments.remove(number);
    return;
  }
  recovered->end = scanned.end;
  recovered->damaged = !scanned.damaged.empty();
  recovered->gaps = !scanned.gaps.empty();
  recovered->dead_bytes += recovered->record_bytes_held() - of_records;
  report.records += records;
  ++report.segments;
  if (!opened.sound_head) {
    report.messages.push_back(name +
                              ": the first block is damaged: its records were read with the "
                              "secret of the other files");
  }
  const bool ended = opened.sealed_end && opened.bytes <= padded(scanned.end, block_bytes);
  if (ended || !opened.sound_head) {
    recovered->sealed = true;  // the file is not modified
  } else {
    segments.seal(recovered);
  }
}

}  // namespace

recovery_report recover(log_content& content) {
  recovery_report report;
  const log_segments& segments = content.segments();
  for (const std::uint32_t number : segments.directory().segments_of(segments.shard())) {
    recover_segment(content, number, report);
  }
  content.finish_recovery();
  return report;
}

}  // namespace stallscope::value_log
