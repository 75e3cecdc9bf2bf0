#include "python_frames/thread_reader.hpp"

#include <algorithm>
#include <array>

#include "base/clock.hpp"

namespace stallscope::python_frames {
namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);
constexpr std::size_t max_frames = 1024;
constexpr std::size_t max_threads = 10'000;
constexpr std::size_t max_interpreters = 256;
constexpr std::size_t max_expected_windows = 32;
// Minimum interval between two scans of the thread list for unknown threads.
constexpr std::uint64_t list_again_ns = 20'000'000;
// 3.14 uses the lowest address bits as reference tags.
constexpr std::uint64_t address_mask = ~std::uint64_t{7};

}  // namespace

thread_reader::thread_reader(pid_t pid, interpreter of,
                             std::shared_ptr<process_reading::numbering> code_numbers)
    : memory_{pid},
      interpreter_{std::move(of)},
      codes_{memory_, interpreter_, std::move(code_numbers)},
      reading_{memory_} {
  const auto& thread = interpreter_.fields.thread;
  const auto [first, last] =
      std::minmax({thread.native_thread_id, thread.datastack_chunk, thread.current_frame});
  state_fields_ = {first, last + word_bytes};
}

bool thread_reader::running() const {
  std::uint64_t head = 0;
  return memory_.read_value(interpreter_.runtime + interpreter_.fields.runtime.interpreters_head,
                            head) &&
         head != 0;
}

thread_reader::thread_location* thread_reader::find(pid_t native_id) {
  const auto key = static_cast<std::uint64_t>(native_id);
  auto entry = threads_.find(key);
  if (entry != threads_.end()) return &entry->second;
  const auto now = monotonic_ns();
  if (now < threads_listed_ns_ + list_again_ns) return nullptr;
  threads_listed_ns_ = now;
  list_threads();
  entry = threads_.find(key);
  return entry == threads_.end() ? nullptr : &entry->second;
}

void thread_reader::list_threads() {
  threads_.clear();
  const auto& fields = interpreter_.fields;
  std::uint64_t interpreter_state = 0;
  if (!memory_.read_value(interpreter_.runtime + fields.runtime.interpreters_head,
                          interpreter_state))
    return;
  for (std::size_t i = 0; interpreter_state != 0 && i < max_interpreters; ++i) {
    const std::uint64_t gil = gil_of(interpreter_state);
    std::uint64_t state = 0;
    if (!memory_.read_value(interpreter_state + fields.interpreter.threads_head, state)) return;
    while (state != 0 && threads_.size() < max_threads) {
      std::uint64_t id = 0;
      std::uint64_t next = 0;
      if (!memory_.read_value(state + fields.thread.native_thread_id, id) ||
          !memory_.read_value(state + fields.thread.next, next))
        break;
      // A repeated id: the list changed during the scan, or has a cycle.
      if (!threads_.try_emplace(id, thread_location{state, gil}).second) break;
      state = next;
    }
    if (!memory_.read_value(interpreter_state + fields.interpreter.next, interpreter_state)) return;
  }
}

std::uint64_t thread_reader::gil_of(std::uint64_t interpreter_state) const {
  const auto& fields = interpreter_.fields;
  std::uint64_t gil = interpreter_.runtime + fields.runtime.gil;
  if (!fields.gil_of_runtime &&
      !memory_.read_value(interpreter_state + fields.interpreter.gil, gil))
    return 0;
  return gil;
}

read_result thread_reader::read(pid_t native_id, python_stack& stack,
                                std::vector<code_facts>& fresh) {
  constexpr int tries = 3;
  auto result = read_result::torn;
  for (int i = 0; i < tries && result == read_result::torn; ++i) {
    stack = {};  // a torn read may have left some frames
    auto* place = find(native_id);
    if (place == nullptr) return read_result::no_frames;
    result = read_once(*place, native_id);
    if (result != read_result::read) continue;
    stack.holds_gil = gil_held(*place);
    result = name_frames(stack, fresh);
  }
  if (result != read_result::read) stack = {};
  return result;
}

read_result thread_reader::read_once(thread_location& place, pid_t native_id) {
  const auto now = first_position(place);
  if (!now || now->id != static_cast<std::uint64_t>(native_id)) {
    threads_.erase(static_cast<std::uint64_t>(native_id));  // the id was reused by a new thread
    return read_result::torn;
  }
  if (!walk_frames(*now) || !unchanged(place, *now)) return read_result::torn;
  place.expected = reading_.used_windows(place.gil == 0 ? 1 : 2, max_expected_windows);
  if (raw_.size() > 2 * max_frames) return read_result::too_deep;
  return raw_.empty() ? read_result::no_frames : read_result::read;
}

// Reads the thread's state, and what the previous read has used: most frames of a stack are where
// they were a millisecond ago. Each window that is missing costs a system call.
bool thread_reader::add_first_windows(const thread_location& place) {
  const auto& gil = interpreter_.fields.gil;
  std::vector<process_reading::consistent_read::extent> extents{
      {place.state + state_fields_.begin, place.state + state_fields_.end}};
  if (place.gil != 0)
    extents.push_back({place.gil + gil.last_holder, place.gil + gil.locked + word_bytes});
  const auto needed = extents.size();
  extents.insert(extents.end(), place.expected.begin(), place.expected.end());
  reading_.begin();
  return reading_.add_windows(extents) ||
         (extents.size() > needed && reading_.add_windows(std::span{extents}.first(needed)));
}

std::optional<thread_reader::thread_position> thread_reader::first_position(
    const thread_location& place) {
  const auto& fields = interpreter_.fields;
  const auto state = place.state;
  if (!add_first_windows(place)) return std::nullopt;
  const auto word = [this](std::uint64_t address) {
    const auto contents = reading_.first(address, word_bytes);
    return contents ? process_reading::value_at<std::uint64_t>(*contents, 0) : 0;
  };
  thread_position now{.id = word(state + fields.thread.native_thread_id),
                      .chunk = word(state + fields.thread.datastack_chunk),
                      .frame_holder = state + fields.thread.current_frame};
  if (fields.has_cframe) {
    now.frame_holder = word(now.frame_holder) + fields.thread.frame_of_cframe;
    if (!reading_.add_window({now.frame_holder, now.frame_holder + word_bytes}))
      return std::nullopt;
  }
  now.frame = word(now.frame_holder);
  return now;
}

std::optional<thread_reader::thread_position> thread_reader::second_position(
    const thread_location& place) const {
  const auto& fields = interpreter_.fields;
  const auto word = [this](std::uint64_t address) {
    const auto contents = reading_.second(address, word_bytes);
    return contents.empty() ? 0 : process_reading::value_at<std::uint64_t>(contents, 0);
  };
  thread_position now{.id = word(place.state + fields.thread.native_thread_id),
                      .chunk = word(place.state + fields.thread.datastack_chunk),
                      .frame_holder = place.state + fields.thread.current_frame};
  if (fields.has_cframe) now.frame_holder = word(now.frame_holder) + fields.thread.frame_of_cframe;
  now.frame = word(now.frame_holder);
  return now;
}

thread_reader::raw_frame thread_reader::decode(std::uint64_t address,
                                               std::span<const std::byte> bytes) const {
  const auto& frame = interpreter_.fields.frame;
  return {address,
          process_reading::value_at<std::uint64_t>(bytes, frame.executable) & address_mask,
          process_reading::value_at<std::uint64_t>(bytes, frame.previous),
          process_reading::value_at<std::uint64_t>(bytes, frame.instruction),
          process_reading::value_at<std::uint8_t>(bytes, frame.owner),
          interpreter_.fields.has_entry_flag &&
              process_reading::value_at<std::uint8_t>(bytes, frame.is_entry) != 0};
}

bool thread_reader::foreign(const raw_frame& frame) const {
  return frame.owner >= interpreter_.fields.first_foreign_owner;
}

// Walks from the current frame outwards. First reads the part of the data stack chunk that contains
// the current frame.
bool thread_reader::walk_frames(const thread_position& now) {
  const auto bytes = static_cast<std::size_t>(interpreter_.fields.frame.size);
  raw_.clear();
  if (now.frame > now.chunk) reading_.add_window({now.chunk, now.frame + bytes});
  std::uint64_t address = now.frame;
  while (address != 0 && raw_.size() <= 2 * max_frames) {
    const auto contents = reading_.first(address, bytes);
    if (!contents) return false;
    raw_.push_back(decode(address, *contents));
    address = raw_.back().previous;
  }
  return true;
}

// Whether the second read returns the same chain and the same current frame.
bool thread_reader::unchanged(const thread_location& place, const thread_position& now) {
  const auto bytes = static_cast<std::size_t>(interpreter_.fields.frame.size);
  list_code_addresses();
  const auto headers = codes_.header_ranges(code_addresses_);
  if (!reading_.read_again(headers) || second_position(place) != now) return false;
  return std::all_of(raw_.begin(), raw_.end(), [this, bytes](const raw_frame& before) {
    const auto again = decode(before.address, reading_.second(before.address, bytes));
    return again.code == before.code && again.previous == before.previous &&
           again.owner == before.owner && again.is_entry == before.is_entry;
  });
}

void thread_reader::list_code_addresses() {
  auto& addresses = code_addresses_;
  addresses.clear();
  for (const auto& frame : raw_) {
    if (!foreign(frame)) addresses.push_back(frame.code);
  }
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
}

read_result thread_reader::name_frames(python_stack& stack, std::vector<code_facts>& fresh) {
  const auto& addresses = code_addresses_;
  if (addresses.empty()) return read_result::no_frames;
  const auto python_frames =
      raw_.size() - static_cast<std::size_t>(std::count_if(
                        raw_.begin(), raw_.end(), [this](const auto& f) { return foreign(f); }));
  if (python_frames > max_frames) return read_result::too_deep;
  const auto codes = codes_.look_up(addresses, fresh);
  if (!codes) return read_result::torn;
  for (std::size_t i = 0; i < raw_.size(); ++i) {
    const auto& frame = raw_[i];
    if (foreign(frame)) continue;
    const auto at = std::lower_bound(addresses.begin(), addresses.end(), frame.code);
    const auto& code = (*codes)[static_cast<std::size_t>(at - addresses.begin())];
    const auto first = frame.code + interpreter_.fields.code.instructions;
    // A new frame points before its first instruction.
    const auto offset = frame.instruction < first ? 0 : frame.instruction - first;
    if (offset > code.instruction_bytes) return read_result::torn;
    const bool outermost = i + 1 == raw_.size() || foreign(raw_[i + 1]);
    const bool entry = interpreter_.fields.has_entry_flag ? frame.is_entry : outermost;
    stack.frames.push_back({code.number, static_cast<std::uint32_t>(offset), entry});
  }
  return read_result::read;
}

std::optional<bool> thread_reader::gil_held(const thread_location& place) const {
  const auto& gil = interpreter_.fields.gil;
  if (place.gil == 0) return std::nullopt;
  const auto holder = reading_.second(place.gil + gil.last_holder, word_bytes);
  const auto locked = reading_.second(place.gil + gil.locked, sizeof(std::int32_t));
  if (holder.empty() || locked.empty() || process_reading::value_at<std::int32_t>(locked, 0) < 0)
    return std::nullopt;
  return process_reading::value_at<std::int32_t>(locked, 0) != 0 &&
         process_reading::value_at<std::uint64_t>(holder, 0) == place.state;
}

}  // namespace stallscope::python_frames
