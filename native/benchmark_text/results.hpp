// Benchmark results in columns: values by series, with names and units stored once.
//
//   results all;
//   all.read(descriptor, 0);  // 0: the number of the file
//   for (const series& each : all.all_series()) { all.names()[each.name]; each.values; }
//
// A series holds the values with the same file, configuration, name and unit. Memory grows with the
// number of values (8 bytes) and of distinct names, units and configurations, not with the text.
// A line costs about 0.2 us. Bad lines become errors and the rest is read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text_input/interned_strings.hpp"

namespace stallscope::benchmark_text {

struct series {
  std::uint32_t file;
  std::uint32_t configuration;
  std::uint32_t name;
  std::uint32_t unit;           // base unit, such as sec/op
  std::uint32_t original_unit;  // as written, such as ns/op
  bool unscaled;  // the factor left each value unchanged: 0 and infinity are equal in all units
  std::vector<double> values;  // in base units, in the order of the lines
};

struct syntax_error {
  std::uint32_t file;
  std::uint64_t line;
  std::string message;
};

struct unit_metadata {
  std::uint32_t unit;  // base unit
  std::string key;
  std::string value;
};

class results {
 public:
  static constexpr std::size_t max_errors = 1000;              // kept; more are only counted
  static constexpr std::size_t max_configuration_keys = 1000;  // at a time
  static constexpr std::size_t max_configuration_entries = 16'000'000;  // of all configurations

  results() = default;
  results(const results&) = delete;
  results& operator=(const results&) = delete;
  results(results&&) = delete;
  results& operator=(results&&) = delete;
  ~results() = default;

  // Reads a file to its end. Throws std::system_error if read(2) fails.
  void read(int descriptor, std::uint32_t file);

  const text_input::interned_strings& names() const { return names_; }
  const text_input::interned_strings& units() const { return units_; }
  const text_input::interned_strings& words() const {
    return words_;
  }  // keys and values of configurations
  // Keys and values in the order in which the format's reference reader holds them.
  using configuration = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  const std::vector<configuration>& configurations() const { return configurations_; }
  const std::vector<series>& all_series() const { return series_; }
  const std::vector<unit_metadata>& metadata() const { return metadata_; }
  const std::vector<syntax_error>& errors() const { return errors_; }
  std::uint64_t dropped_errors() const { return dropped_errors_; }
  std::uint64_t result_lines() const { return result_lines_; }

 private:
  struct value_with_unit {
    double value;
    std::uint32_t written_unit;
  };
  struct written_unit {
    std::uint32_t base;
    std::uint32_t original;
    double factor;
  };

  void parse_line(std::string_view line);
  void parse_result(std::string_view line);
  void parse_unit(std::string_view line);
  void configure(std::string_view key, std::string_view value);
  std::uint32_t configuration_id();
  std::uint32_t written_unit_id(std::string_view unit);
  std::vector<double>& values_of(std::uint32_t name, std::uint32_t written, bool unscaled);
  void grow_slots();
  void report(std::string message);

  text_input::interned_strings names_;
  text_input::interned_strings units_;
  text_input::interned_strings words_;
  text_input::interned_strings written_names_;
  std::vector<written_unit> written_units_;
  std::vector<series> series_;
  std::vector<std::uint32_t> series_keys_;  // written unit of each series
  std::vector<std::uint32_t> slots_;        // series + 1, 0 if free
  configuration current_;
  bool configuration_changed_ = true;
  std::uint32_t current_id_ = 0;
  std::vector<configuration> configurations_;
  std::map<configuration, std::uint32_t> configuration_ids_;
  std::size_t configuration_entries_ = 0;
  std::vector<unit_metadata> metadata_;
  std::vector<value_with_unit> line_values_;
  std::vector<syntax_error> errors_;
  std::uint64_t dropped_errors_ = 0;
  std::uint64_t result_lines_ = 0;
  std::uint32_t file_ = 0;
  std::uint64_t line_number_ = 0;
  bool full_ = false;
};

}  // namespace stallscope::benchmark_text
