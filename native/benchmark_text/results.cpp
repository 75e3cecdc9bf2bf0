#include "benchmark_text/results.hpp"

#include <algorithm>

#include "benchmark_text/numbers.hpp"
#include "benchmark_text/text.hpp"
#include "benchmark_text/units.hpp"
#include "text_input/line_reader.hpp"

namespace stallscope::benchmark_text {
namespace {

constexpr std::string_view result_prefix = "Benchmark";

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 31)) * 0x7fb5d329728ea185ULL;
  value = (value ^ (value >> 27)) * 0x81dadef4bc2dd44dULL;
  return value ^ (value >> 33);
}

}  // namespace

void results::read(int descriptor, std::uint32_t file) {
  file_ = file;
  current_.clear();
  configuration_changed_ = true;
  full_ = false;
  text_input::line_reader lines(descriptor);
  while (!full_ && lines.next()) {
    line_number_ = lines.number();
    if (lines.endless()) {
      report("a line without an end; the rest of the file is not read");
    } else if (lines.too_long()) {
      report("the line is longer than 1 MiB and is not read");
    } else {
      parse_line(lines.text());
    }
  }
}

void results::parse_line(std::string_view line) {
  if (line.starts_with(result_prefix)) {
    parse_result(line.substr(result_prefix.size()));
    return;
  }
  if (line.starts_with('U')) {
    std::string_view rest = line;
    if (take_field(rest) == "Unit") {
      parse_unit(rest);
      return;
    }
  }
  const configuration_line setting = parse_configuration(line);
  if (!setting.key.empty()) {
    configure(setting.key, setting.value);
  }
}

void results::parse_result(std::string_view line) {
  const std::size_t whole = line.size();
  const std::string_view name = take_field(line);
  if (name.size() == whole) {
    return;  // "go test -v" prints the name alone when a benchmark starts
  }
  const std::string_view count = take_field(line);
  if (count.empty()) {
    return report("missing iteration count");
  }
  if (const number_error error = check_count(count); error != number_error::none) {
    return report("parsing iteration count: " + std::string(description(error)));
  }
  line_values_.clear();
  while (!line.empty()) {
    const std::string_view number = take_field(line);
    if (number.starts_with('#')) {
      break;  // a comment, which the reader of 2017 accepted
    }
    const measurement parsed = parse_measurement(number);
    if (parsed.error != number_error::none) {
      return report("parsing measurement: " + std::string(description(parsed.error)));
    }
    const std::string_view unit = take_field(line);
    if (unit.empty()) {
      return report("missing units");
    }
    line_values_.push_back({parsed.value, written_unit_id(unit)});
  }
  if (line_values_.empty()) {
    return report("missing measurements");
  }
  if (configuration_changed_) {
    current_id_ = configuration_id();
    if (full_) {
      return report("too many configurations; the rest of the file is not read");
    }
  }
  ++result_lines_;
  const std::uint32_t name_id = names_.id_of(name);
  for (const value_with_unit& value : line_values_) {
    const double factor = written_units_[value.written_unit].factor;
    const double scaled = value.value * factor;
    values_of(name_id, value.written_unit, factor != 1 && scaled == value.value).push_back(scaled);
  }
}

void results::parse_unit(std::string_view line) {
  const std::string_view unit = take_field(line);
  if (unit.empty()) {
    return report("missing unit");
  }
  const std::uint32_t base = units_.id_of(to_base_unit(unit).unit);
  while (!line.empty()) {
    const std::string_view field = take_field(line);
    const std::size_t equals = field.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      report("expected key=value");
      continue;
    }
    const std::string_view key = field.substr(0, equals);
    const std::string_view value = field.substr(equals + 1);
    const auto known = std::ranges::find_if(metadata_, [&](const unit_metadata& entry) {
      return entry.unit == base && entry.key == key;
    });
    if (known == metadata_.end()) {
      if (metadata_.size() == max_configuration_keys) {
        return report("too many units with metadata");
      }
      metadata_.push_back({base, std::string(key), std::string(value)});
    } else if (known->value != value) {
      report("metadata " + std::string(key) + " of unit " + std::string(unit) + " already set to " +
             known->value);
    }
  }
}

void results::configure(std::string_view key, std::string_view value) {
  const std::uint32_t key_id = words_.id_of(key);
  const auto known = std::ranges::find(current_, key_id, &configuration::value_type::first);
  if (value.empty()) {
    if (known != current_.end()) {
      // The last entry takes the place, as in the reference reader; tables follow this order.
      *known = current_.back();
      current_.pop_back();
      configuration_changed_ = true;
    }
    return;
  }
  const std::uint32_t value_id = words_.id_of(value);
  if (known != current_.end()) {
    configuration_changed_ = configuration_changed_ || known->second != value_id;
    known->second = value_id;
    return;
  }
  if (current_.size() == max_configuration_keys) {
    return report("more than 1000 configuration keys; this one is ignored");
  }
  current_.emplace_back(key_id, value_id);
  configuration_changed_ = true;
}

std::uint32_t results::configuration_id() {
  const auto known = configuration_ids_.find(current_);
  if (known != configuration_ids_.end()) {
    configuration_changed_ = false;
    return known->second;
  }
  configuration_entries_ += current_.size() + 8;
  if (configuration_entries_ > max_configuration_entries) {
    full_ = true;
    return 0;
  }
  configuration_changed_ = false;
  const auto id = static_cast<std::uint32_t>(configurations_.size());
  configurations_.push_back(current_);
  configuration_ids_.emplace(current_, id);
  return id;
}

std::uint32_t results::written_unit_id(std::string_view unit) {
  const std::uint32_t id = written_names_.id_of(unit);
  if (id == written_units_.size()) {
    const base_unit base = to_base_unit(unit);
    written_units_.push_back({units_.id_of(base.unit), units_.id_of(unit), base.factor});
  }
  return id;
}

std::vector<double>& results::values_of(std::uint32_t name, std::uint32_t written, bool unscaled) {
  if (2 * (series_.size() + 1) > slots_.size()) {
    grow_slots();
  }
  const std::uint64_t words = (static_cast<std::uint64_t>(name) << 32) ^ (written * 2 + unscaled);
  const std::uint64_t place = (static_cast<std::uint64_t>(file_) << 32) ^ current_id_;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = mixed(words + mixed(place)) & mask;; slot = (slot + 1) & mask) {
    if (slots_[slot] == 0) {
      const written_unit& unit = written_units_[written];
      series_.push_back({file_, current_id_, name, unit.base, unit.original, unscaled, {}});
      series_keys_.push_back(written);
      slots_[slot] = static_cast<std::uint32_t>(series_.size());
      return series_.back().values;
    }
    series& known = series_[slots_[slot] - 1];
    if (known.name == name && series_keys_[slots_[slot] - 1] == written && known.file == file_ &&
        known.configuration == current_id_ && known.unscaled == unscaled) {
      return known.values;
    }
  }
}

void results::grow_slots() {
  slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t index = 0; index < series_.size(); ++index) {
    const series& known = series_[index];
    const std::uint64_t words =
        (static_cast<std::uint64_t>(known.name) << 32) ^ (series_keys_[index] * 2 + known.unscaled);
    const std::uint64_t place =
        (static_cast<std::uint64_t>(known.file) << 32) ^ known.configuration;
    std::size_t slot = mixed(words + mixed(place)) & mask;
    while (slots_[slot] != 0) {
      slot = (slot + 1) & mask;
    }
    slots_[slot] = static_cast<std::uint32_t>(index + 1);
  }
}

void results::report(std::string message) {
  if (errors_.size() < max_errors) {
    errors_.push_back({file_, line_number_, std::move(message)});
  } else {
    ++dropped_errors_;
  }
}

}  // namespace stallscope::benchmark_text
