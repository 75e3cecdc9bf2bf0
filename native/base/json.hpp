// A JSON document: built member by member, written as text, or parsed from text that is not
// trusted.
//
//   json line{{"event", "done"}, {"samples", counts.samples}, {"cpus", {0, 1}}};
//   line["threads"] = json::array();
//   line["threads"].push_back({{"tid", 7}, {"cpu", nullptr}});
//   std::puts(line.dump().c_str());
//
//   const std::optional<json> plan = json::try_parse(text);
//   if (!plan || !plan->is_object()) throw ...;
//   if (const json* points = plan->find("points")) ...
//
// The interface is a part of nlohmann's. That is a header whose use costs 2 to 5 s of compilation
// in each source, so only json.cpp includes it: it parses, and writes what has to be escaped or
// rounded. Members stay in the order in which they were added; those of a parsed object are sorted.
// Cost: an allocation per list, object and longer string. A member is searched from the first on.
// Any thread.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace stallscope {

class json {
 public:
  using list = std::vector<json>;
  using member = std::pair<std::string, json>;
  using members = std::vector<member>;

  // Text that is nested more deeply is refused.
  static constexpr std::size_t max_depth = 500;

  json() noexcept;  // null
  json(std::nullptr_t) noexcept;
  json(const char* text);
  json(std::string_view text);
  json(std::string text);
  template <std::same_as<bool> T>
  json(T value) noexcept : content_{value} {}
  template <std::signed_integral T>
  json(T value) noexcept : content_{static_cast<std::int64_t>(value)} {}
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) json(T value)
  noexcept : content_{static_cast<std::uint64_t>(value)} {}
  template <std::floating_point T>
  json(T value) noexcept : content_{static_cast<double>(value)} {}
  template <std::convertible_to<json> T>
  json(const std::vector<T>& values) : content_{list_of(values)} {}
  template <std::convertible_to<json> T, std::size_t Size>
  json(const std::array<T, Size>& values) : content_{list_of(values)} {}
  // An object if all elements are pairs of a string and a value, otherwise a list.
  json(std::initializer_list<json> elements);

  json(const json& other);
  json(json&& other) noexcept;
  json& operator=(const json& other);
  json& operator=(json&& other) noexcept;
  ~json();

  static json array();
  static json array(std::initializer_list<json> elements);
  static json object();

  // Throws std::invalid_argument if the text is not JSON or is nested too deeply. Of equal keys the
  // last counts.
  static json parse(std::string_view text);
  static std::optional<json> try_parse(std::string_view text);  // nothing instead of an exception

  // Returns the text in one line, or with members on lines of their own, indented by `indent` per
  // level. Invalid UTF-8 is replaced: names of processes and files may hold any bytes.
  [[nodiscard]] std::string dump(int indent = -1) const;

  [[nodiscard]] bool is_null() const;
  [[nodiscard]] bool is_boolean() const;
  [[nodiscard]] bool is_number() const;
  [[nodiscard]] bool is_number_unsigned() const;  // parsed from digits alone, or made of one
  [[nodiscard]] bool is_string() const;
  [[nodiscard]] bool is_array() const;
  [[nodiscard]] bool is_object() const;

  // These throw std::invalid_argument if the value is of another kind.
  template <typename T>
  [[nodiscard]] T get() const {
    if constexpr (std::same_as<T, bool>) {
      return boolean();
    } else if constexpr (std::signed_integral<T>) {
      return static_cast<T>(integer());
    } else if constexpr (std::unsigned_integral<T>) {
      return static_cast<T>(whole_number());
    } else if constexpr (std::floating_point<T>) {
      return static_cast<T>(number());
    } else {
      return T{text()};
    }
  }
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] const members& items() const;

  // Elements and members; 0 for all other values but strings, which count as one.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] list::const_iterator begin() const;  // elements of a list
  [[nodiscard]] list::const_iterator end() const;
  [[nodiscard]] const json& operator[](std::size_t index) const;
  json& operator[](std::size_t index);
  json& back();
  void push_back(json element);  // makes a list of null

  // Returns nothing if there is no such member, or no object.
  [[nodiscard]] const json* find(std::string_view key) const;
  [[nodiscard]] bool contains(std::string_view key) const { return find(key) != nullptr; }
  [[nodiscard]] json value(std::string_view key, const json& default_value) const;
  [[nodiscard]] const json& operator[](std::string_view key) const;
  json& operator[](std::string_view key);  // makes an object of null, and the member
  void erase(std::string_view key);

  // Numbers of equal value are equal; the order of members does not matter.
  friend bool operator==(const json& left, const json& right);
  friend std::ostream& operator<<(std::ostream& out, const json& document);

 private:
  using content = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double,
                               std::string, list, members>;

  template <typename Values>
  static list list_of(const Values& values) {
    return list(values.begin(), values.end());
  }
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] std::uint64_t whole_number() const;
  [[nodiscard]] double number() const;
  void write(std::string& out, int indent, int level) const;
  friend class json_builder;

  content content_;
};

}  // namespace stallscope
