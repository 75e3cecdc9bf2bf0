#include "perf_script/samples.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "text_input/line_reader.hpp"

namespace stallscope::perf_script {
namespace {

constexpr std::size_t max_frames = 8192;  // deeper frames of one sample are left out
constexpr std::size_t max_events = 1024;  // names of events that are counted
constexpr std::uint64_t java_bit = 1ULL << 63U;

std::uint64_t mixed(std::uint64_t value) {
  value ^= value >> 33U;
  value *= 0xff51afd7ed558ccdULL;
  value ^= value >> 33U;
  return value;
}

std::uint64_t added(std::uint64_t sum, std::uint64_t value) {
  const std::uint64_t limit = std::numeric_limits<std::int64_t>::max();
  return value > limit - sum ? limit : sum + value;
}

}  // namespace

samples::samples(options settings) : settings_(std::move(settings)) {
  known_symbols_.resize(1024);
  function_slots_.resize(1024);
  stack_slots_.resize(1024);
}

void samples::read(int descriptor) {
  text_input::line_reader lines(descriptor);
  while (lines.next()) {
    line_number_ = lines.number();
    if (lines.too_long()) {
      ++malformed_lines_;
      if (first_malformed_line_ == 0) first_malformed_line_ = line_number_;
    } else {
      add_line(lines.text());
    }
  }
  endless_ = lines.endless();
  end_sample();
}

void samples::add_line(std::string_view line) {
  if (line.empty()) {
    end_sample();
    return;
  }
  if (line.front() == '#') return;
  if (const auto fields = parse_event_line(line)) {
    begin_sample(*fields);
  } else if (const auto frame = parse_frame_line(line)) {
    if (in_sample_) add_frame(*frame);
  } else {
    ++malformed_lines_;
    if (first_malformed_line_ == 0) first_malformed_line_ = line_number_;
  }
}

void samples::begin_sample(const event_line& fields) {
  end_sample();  // the blank line between two samples may be missing
  if (!fields.event.empty()) {
    if (settings_.event.empty()) settings_.event = fields.event;
    count_event(fields.event);
    if (fields.event != settings_.event) return;
  }
  in_sample_ = true;
  period_ = fields.period.value_or(1);
  if (!fields.period) ++without_period_;
  time_ns_ = fields.time_ns;
  if (fields.time_ns) {
    first_ns_ = std::min(first_ns_.value_or(*fields.time_ns), *fields.time_ns);
    last_ns_ = std::max(last_ns_, *fields.time_ns);
  }
  in_java_ = fields.command.starts_with("java");
  command_text_.assign(fields.command);
  if (settings_.process_ids || settings_.thread_ids) {
    // stackcollapse-perf takes "0/0", the idle task, as a line with the thread only.
    const bool is_idle = settings_.style.shorten && fields.thread == "0";
    const bool has_process = !fields.process.empty() && !is_idle;
    command_text_ += '-';
    command_text_ += has_process ? fields.process : "?";
    if (settings_.thread_ids) {
      command_text_ += '/';
      command_text_ += is_idle && !fields.process.empty() ? fields.process : fields.thread;
    }
  }
  if (settings_.style.shorten) std::ranges::replace(command_text_, ' ', '_');
}

void samples::count_event(std::string_view event) {
  for (event_count& known : events_) {
    if (known.name == event) {
      ++known.samples;
      return;
    }
  }
  if (events_.size() < max_events) events_.push_back({std::string(event), 1});
}

void samples::add_frame(const frame_line& frame) {
  if (!settings_.by_address) return add_functions(frame);
  if (frame.file == "inlined") {
    expanded_address_.assign(frame.address);
    return add_functions(frame);
  }
  const bool is_expanded = !expanded_address_.empty() && expanded_address_ == frame.address;
  expanded_address_.clear();
  const auto address = address_in_file(frame);
  if (!address) return add_functions(frame);
  if (is_expanded) {
    ++expanded_frames_;
    return add_functions(frame);
  }
  add_address(frame, *address);
}

// The function of an address has the names of the text until set_names() is called.
void samples::add_address(const frame_line& frame, std::uint64_t address) {
  if (current_.size() >= max_frames) return;
  std::string key(frame.address);
  for (const std::string_view part : {frame.symbol, frame.offset, frame.file}) {
    key += '\n';
    key += part;
  }
  if (in_java_) key += '\n';
  const std::uint32_t id = address_texts_.id_of(key);
  if (id == file_addresses_.size()) {
    const std::size_t depth = current_.size();
    add_functions(frame);
    std::string names;
    for (; current_.size() > depth; current_.pop_back()) {
      if (!names.empty()) names += ';';
      names += names_[functions_[current_.back()].name];
    }
    const std::uint32_t file = files_.id_of(frame.file);
    file_addresses_.push_back({address, hexadecimal(frame.offset), symbols_.id_of(frame.symbol),
                               file, function_of({names_.id_of(names), file, false, id + 1})});
  }
  current_.push_back(file_addresses_[id].function);
}

void samples::set_names(std::size_t address, std::string_view names) {
  functions_[file_addresses_.at(address).function].name = names_.id_of(names);
}

void samples::add_functions(const frame_line& frame) {
  if (frame.symbol.empty() || frame.symbol.front() == '(' || current_.size() >= max_frames) return;
  if (frame.symbol.find("->") == std::string_view::npos) {
    add_function(frame, frame.symbol, frame.file == "inlined" && !settings_.style.shorten);
    return;
  }
  // The function that was called last stands last, and is the innermost.
  std::vector<std::string_view> parts;
  std::string_view rest = frame.symbol;
  for (std::size_t arrow = rest.find("->"); arrow != std::string_view::npos;
       arrow = rest.find("->")) {
    parts.push_back(rest.substr(0, arrow));
    rest.remove_prefix(arrow + 2);
  }
  parts.push_back(rest);
  while (!parts.empty() && parts.back().empty()) parts.pop_back();
  for (std::size_t index = parts.size(); index > 0; --index) {
    add_function(frame, parts[index - 1], index > 1);
  }
}

void samples::add_function(const frame_line& frame, std::string_view part, bool inlined) {
  const std::uint32_t file = files_.id_of(frame.file);
  const bool has_address = settings_.style.addresses && part == "[unknown]";
  if (inlined || has_address) {
    const std::string name = function_name(frame, part, inlined, in_java_, settings_.style);
    current_.push_back(function_of({names_.id_of(name), file, inlined}));
    return;
  }
  const std::uint64_t symbol = symbols_.id_of(part);
  const std::uint64_t key = ((symbol + 1) << 31U | file) | (in_java_ ? java_bit : 0);
  std::size_t mask = known_symbols_.size() - 1;
  std::size_t slot = mixed(key) & mask;
  while (known_symbols_[slot].key != 0 && known_symbols_[slot].key != key) slot = (slot + 1) & mask;
  if (known_symbols_[slot].key == 0) {
    const std::string name = function_name(frame, part, false, in_java_, settings_.style);
    known_symbols_[slot] = {key, function_of({names_.id_of(name), file, false})};
    current_.push_back(known_symbols_[slot].function);
    if (2 * ++known_symbol_count_ > known_symbols_.size()) {
      std::vector<known_symbol> larger(2 * known_symbols_.size());
      mask = larger.size() - 1;
      for (const known_symbol& entry : known_symbols_) {
        if (entry.key == 0) continue;
        slot = mixed(entry.key) & mask;
        while (larger[slot].key != 0) slot = (slot + 1) & mask;
        larger[slot] = entry;
      }
      known_symbols_ = std::move(larger);
    }
    return;
  }
  current_.push_back(known_symbols_[slot].function);
}

std::uint32_t samples::function_of(const function& key) {
  const auto hash = [](const function& known) {
    return mixed((static_cast<std::uint64_t>(known.name) << 32U) ^ (known.file << 1U) ^
                 static_cast<std::uint64_t>(known.inlined)) +
           known.address;
  };
  if (2 * (functions_.size() + 1) > function_slots_.size()) {
    function_slots_.assign(2 * function_slots_.size(), 0);
    for (std::size_t index = 0; index < functions_.size(); ++index) {
      std::size_t free = hash(functions_[index]) & (function_slots_.size() - 1);
      while (function_slots_[free] != 0) free = (free + 1) & (function_slots_.size() - 1);
      function_slots_[free] = static_cast<std::uint32_t>(index + 1);
    }
  }
  const std::size_t mask = function_slots_.size() - 1;
  for (std::size_t slot = hash(key) & mask;; slot = (slot + 1) & mask) {
    if (function_slots_[slot] == 0) {
      functions_.push_back(key);
      function_slots_[slot] = static_cast<std::uint32_t>(functions_.size());
      return function_slots_[slot] - 1;
    }
    if (functions_[function_slots_[slot] - 1] == key) return function_slots_[slot] - 1;
  }
}

void samples::end_sample() {
  if (!in_sample_) return;
  in_sample_ = false;
  expanded_address_.clear();
  const std::uint32_t command = commands_.id_of(command_text_);
  std::uint64_t hash = mixed(command + 1);
  for (const std::uint32_t function : current_) hash = mixed(hash ^ function) + function;
  if (2 * (stacks_.size() + 1) > stack_slots_.size()) grow_stacks();
  const std::size_t mask = stack_slots_.size() - 1;
  for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    if (stack_slots_[slot] == 0) {
      stacks_.push_back({command, frames_.size(), static_cast<std::uint32_t>(current_.size())});
      stack_hashes_.push_back(hash);
      frames_.insert(frames_.end(), current_.begin(), current_.end());
      stack_slots_[slot] = static_cast<std::uint32_t>(stacks_.size());
    }
    const std::size_t index = stack_slots_[slot] - 1;
    stack& known = stacks_[index];
    if (stack_hashes_[index] == hash && known.command == command && known.size == current_.size() &&
        std::equal(current_.begin(), current_.end(),
                   frames_.begin() + static_cast<std::ptrdiff_t>(known.begin))) {
      known.samples = added(known.samples, 1);
      known.period = added(known.period, period_);
      if (settings_.max_times > 0 && time_ns_) add_time(index);
      break;
    }
  }
  current_.clear();
}

void samples::add_time(std::size_t stack) {
  if (has_too_many_times_) return;
  if (timed_samples_.size() == settings_.max_times) {
    has_too_many_times_ = true;
    timed_samples_ = {};
    return;
  }
  timed_samples_.push_back({*time_ns_, period_, static_cast<std::uint32_t>(stack)});
}

void samples::grow_stacks() {
  stack_slots_.assign(2 * stack_slots_.size(), 0);
  const std::size_t mask = stack_slots_.size() - 1;
  for (std::size_t index = 0; index < stacks_.size(); ++index) {
    std::size_t slot = stack_hashes_[index] & mask;
    while (stack_slots_[slot] != 0) slot = (slot + 1) & mask;
    stack_slots_[slot] = static_cast<std::uint32_t>(index + 1);
  }
}

std::optional<std::uint64_t> samples::duration_ns() const {
  if (!first_ns_) return std::nullopt;
  return last_ns_ - *first_ns_;
}

std::string samples::folded() const {
  std::vector<std::pair<std::string, std::uint64_t>> rows;
  rows.reserve(stacks_.size());
  for (const stack& entry : stacks_) {
    std::string text(commands_[entry.command]);
    for (std::size_t frame = entry.begin + entry.size; frame > entry.begin; --frame) {
      const std::string_view name = names_[functions_[frames_[frame - 1]].name];
      if (name.empty() && settings_.by_address) continue;
      text += ';';
      text += name;
    }
    rows.emplace_back(std::move(text), entry.period);
  }
  std::ranges::sort(rows);
  std::string result;
  for (std::size_t row = 0; row < rows.size();) {
    std::uint64_t period = 0;
    const std::size_t first = row;
    for (; row < rows.size() && rows[row].first == rows[first].first; ++row) {
      period = added(period, rows[row].second);
    }
    result += rows[first].first;
    result += ' ';
    result += std::to_string(period);
    result += '\n';
  }
  return result;
}

}  // namespace stallscope::perf_script
