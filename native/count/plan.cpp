#include "count/plan.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>

#include "base/descriptor.hpp"
#include "base/failure.hpp"
#include "base/json.hpp"
#include "collect/refusal.hpp"

namespace stallscope::count {
namespace {

constexpr std::size_t max_plan_bytes = std::size_t{1} << 20U;
constexpr std::size_t max_sets = 1000;
constexpr std::size_t max_events = 1000;
constexpr std::size_t max_in_set = 64;
constexpr std::size_t max_name = 200;
constexpr std::string_view schema = "stallscope.count-plan/1";

class plan_reader {
 public:
  plan_reader(const json& document, std::string source)
      : document_{&document}, source_{std::move(source)} {}

  count_plan read() {
    if (!document_->is_object() || document_->value("schema", json{}) != schema)
      wrong("its schema is not " + std::string{schema});
    read_events(member(*document_, "events", "the plan"));
    read_sets(member(*document_, "sets", "the plan"));
    return std::move(plan_);
  }

 private:
  [[noreturn]] void wrong(const std::string& what) const {
    throw failure{exit_code::usage, "the file " + source_ + " is not a count plan: " + what,
                  "see docs/recording.md for the format of a plan"};
  }

  const json& member(const json& object, const char* key, const std::string& of) const {
    const json* const value = object.find(key);
    if (value == nullptr) wrong(std::string{"there is no '"} + key + "' in " + of);
    return *value;
  }

  std::string text(const json& value, const std::string& of) const {
    if (!value.is_string()) wrong(of + " is not a text");
    auto read = value.get<std::string>();
    const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    if (read.empty() || read.size() > max_name || std::any_of(read.begin(), read.end(), control))
      wrong(of + " is empty, longer than 200 bytes or holds control characters");
    return read;
  }

  // "0x3c" or a number; 64 bits do not fit into every reader's JSON numbers.
  std::uint64_t number(const json& value, const std::string& of) const {
    if (value.is_number_unsigned()) return value.get<std::uint64_t>();
    if (!value.is_string()) wrong(of + " is not a number");
    std::string_view digits = value.text();
    const bool hex = digits.starts_with("0x");
    if (hex) digits.remove_prefix(2);
    std::uint64_t result = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), result, hex ? 16 : 10);
    if (error != std::errc{} || end != digits.data() + digits.size())
      wrong(of + " is not a number of 64 bits");
    return result;
  }

  void read_events(const json& events) {
    if (!events.is_object() || events.empty() || events.size() > max_events)
      wrong("'events' is not an object of 1 to 1000 events");
    for (const auto& [name, encoding] : events.items()) {
      planned_event event;
      event.name = text(json(name), "an event's name");
      if (!encoding.is_object()) wrong("event " + event.name + " is not an object");
      if (encoding.contains("name")) {
        event.known_as = text(encoding["name"], "the name of event " + event.name);
      } else {
        read_encoding(encoding, event);
      }
      plan_.events.push_back(std::move(event));
    }
  }

  void read_encoding(const json& encoding, planned_event& event) const {
    const std::string of = "event " + event.name;
    const auto type = number(member(encoding, "type", of), "the type of " + of);
    if (type > UINT32_MAX) wrong("the type of " + of + " has more than 32 bits");
    event.encoded = true;
    event.type = static_cast<std::uint32_t>(type);
    event.config = number(member(encoding, "config", of), "the config of " + of);
    if (encoding.contains("config1"))
      event.config1 = number(encoding["config1"], "the config1 of " + of);
    if (encoding.contains("config2"))
      event.config2 = number(encoding["config2"], "the config2 of " + of);
  }

  [[nodiscard]] std::size_t event_number(const std::string& name, const std::string& of) const {
    const auto position = std::find_if(plan_.events.begin(), plan_.events.end(),
                                       [&name](const auto& event) { return event.name == name; });
    if (position == plan_.events.end())
      wrong(of + " names " + name + ", which 'events' does not have");
    return static_cast<std::size_t>(position - plan_.events.begin());
  }

  void read_sets(const json& sets) {
    if (!sets.is_array() || sets.empty() || sets.size() > max_sets)
      wrong("'sets' must be a list of 1 to 1000 sets");
    for (const auto& entry : sets) {
      planned_set set;
      const std::string of = "set " + std::to_string(plan_.sets.size() + 1);
      set.name = text(member(entry, "name", of), "the name of " + of);
      const json leader = entry.value("leader", json(""));
      if (!leader.is_string() || !leader.text().empty()) {
        set.leader = event_number(text(leader, "the leader of " + of), of);
        set.events.push_back(*set.leader);
      }
      const auto& events = member(entry, "events", of);
      if (!events.is_array() || events.empty() || events.size() > max_in_set)
        wrong("'events' of " + of + " must be a list of 1 to 64 names");
      for (const auto& name : events) {
        const auto number = event_number(text(name, "an event of " + of), of);
        if (std::find(set.events.begin(), set.events.end(), number) == set.events.end())
          set.events.push_back(number);
      }
      plan_.sets.push_back(std::move(set));
    }
  }

  const json* document_;
  std::string source_;
  count_plan plan_;
};

[[noreturn]] void unreadable(const std::string& path, const std::string& why) {
  throw failure{exit_code::usage, "the plan " + path + " cannot be read: " + why,
                "name a plan of counters with --plan"};
}

}  // namespace

count_plan parse_plan(std::string_view text, const std::string& source) {
  const json document = json::try_parse(text).value_or(nullptr);
  return plan_reader{document, source}.read();
}

std::string read_plan_file(const std::string& path) {
  // O_NONBLOCK: the open of a pipe or device must not block. Both are refused below.
  const descriptor fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  if (!fd) unreadable(path, collect::error_text(errno));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) unreadable(path, collect::error_text(errno));
  if (!S_ISREG(status.st_mode)) unreadable(path, "it is not a regular file");
  std::string text(max_plan_bytes + 1, '\0');
  std::size_t size = 0;
  ssize_t got = 1;
  while (got > 0 && size < text.size()) {
    got = ::read(fd.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) {
      got = 1;
      continue;
    }
    if (got < 0) unreadable(path, collect::error_text(errno));
    size += static_cast<std::size_t>(got);
  }
  if (size > max_plan_bytes) unreadable(path, "it is larger than a megabyte");
  text.resize(size);
  return text;
}

}  // namespace stallscope::count
