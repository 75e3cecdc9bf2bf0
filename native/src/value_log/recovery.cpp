#include "stallscope/value_log/recovery.hpp"

#include <unistd.h>

#include <utility>

#include "stallscope/value_log/segment_scan.hpp"

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

void tell(recovery_report& report, const std::string& name, const scanned_segment& scanned) {
  for (const damaged_part& part : scanned.damaged) {
    report.damaged_bytes += part.to - part.from;
    report.messages.push_back(name + ": " + std::to_string(part.to - part.from) +
                              " bytes at offset " + std::to_string(part.from) +
                              " are damaged: what they held is lost, the rest is read");
  }
  if (scanned.tail_bytes == 0) return;
  report.cut_bytes += scanned.tail_bytes;
  report.messages.push_back(name + ": cut off behind offset " + std::to_string(scanned.end) +
                            ": what follows is no whole record, as a write leaves it that was not "
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
  segment_file opened = segments.directory().open({segments.shard(), number});
  auto found = std::make_shared<segment>();
  found->file = std::move(opened.file);
  found->direct = opened.direct;
  found->number = number;
  found->sealed = true;
  segments.add(found);
  std::uint64_t of_records = 0;
  std::uint64_t records = 0;
  const auto visit = [&](const record& what, std::uint64_t offset) {
    of_records += record_bytes(what.key.size(), what.value.size());
    ++records;
    content.recovered(what, location_of(what, number, offset));
  };
  const scanned_segment scanned =
      scan_segment(found->file.get(), opened.bytes, content.secret(), visit);
  const std::string name = segments.name_of(number);
  if (!opened.sound_head && records == 0 && scanned.tail_bytes != 0) {
    return leave(*found, opened.bytes, name, report);
  }
  tell(report, name, scanned);
  if (records == 0 && scanned.damaged.empty()) {
    segments.remove(number);
    return;
  }
  found->end = scanned.end;
  found->damaged = !scanned.damaged.empty();
  found->dead_bytes += found->record_bytes_held() - of_records;
  report.records += records;
  ++report.segments;
  // Refused, the next start finds the same.
  [[maybe_unused]] const int refused =
      ::ftruncate(found->file.get(), static_cast<off_t>(padded(scanned.end, block_bytes)));
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
