#include "hotspot_frames/native_exit.hpp"

#include "hotspot_frames/frame_steps.hpp"
#include "hotspot_frames/words.hpp"
#include "hotspot_frames/wrapper_search.hpp"

namespace stallscope::hotspot_frames {
namespace {

using managed_frames::stack_sample;

constexpr std::size_t max_records = 128;
constexpr std::uint64_t searched_for_size = 4096;
constexpr int max_tried = 8;             // stack pointers whose callers are walked
constexpr std::uint64_t alignment = 16;  // of the stack pointer
constexpr std::uint64_t record_bytes = 2 * word;

// The first return address into generated code, with the frame pointer there; the stack pointer is
// the lowest that is possible.
std::optional<frame_position> return_into_java(const java_walker& walker,
                                               const stack_sample& sample,
                                               const std::function<bool(std::uint64_t)>& is_code) {
  frame_position now{.pc = sample.link(), .sp = sample.stack_address, .fp = sample.fp()};
  std::uint64_t recorded = 0;
  // A function that has called nothing yet may have a record already.
  const bool has_record =
      now.fp >= now.sp && sample.return_address(now.fp + word, recorded) && recorded == now.pc;
  if (walker.owns(now.pc) && !has_record) return now;
  for (std::size_t i = 0; i < max_records; ++i) {
    if (now.fp % word != 0 || !return_by_pointer(now, sample)) return std::nullopt;
    if (walker.owns(now.pc)) return now;
    if (!is_code(now.pc)) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<frame_position> find_native_exit(java_walker& walker, const stack_sample& sample,
                                               const std::function<bool(std::uint64_t)>& is_code) {
  auto now = return_into_java(walker, sample, is_code);
  const auto* const blob = now ? walker.blob_at(now->pc) : nullptr;
  if (blob == nullptr) return std::nullopt;
  const auto frame_bytes = blob->frame_bytes;
  const auto kind = blob->kind;
  if (!walker.is_consistent(*now, sample)) return std::nullopt;
  if (kind == blob_kind::interpreter || frame_bytes < record_bytes) return now;
  if (kind == blob_kind::native_wrapper) {
    const auto sp = now->fp + record_bytes - frame_bytes;
    if (sp < now->sp) return std::nullopt;
    now->sp = sp;
    return now;
  }
  const auto end = now->sp + searched_for_size;
  int tried = 0;
  for (now->sp = (now->sp + alignment - 1) / alignment * alignment; now->sp < end;
       now->sp += alignment) {
    frame_position caller = *now;
    if (!return_by_size(frame_bytes, caller, sample)) return std::nullopt;
    if (!walker.owns(caller.pc)) continue;
    if (has_java_callers(walker, *now, sample)) return now;
    if (++tried == max_tried) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace stallscope::hotspot_frames
