#include "base/json.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>

namespace stallscope {
namespace {

using library_json = nlohmann::json;

// Text of one value as the library writes it: escaped, and doubles with the fewest digits.
template <typename T>
std::string library_text(const T& value) {
  return library_json(value).dump(-1, ' ', false, library_json::error_handler_t::replace);
}

bool is_plain(char character) {
  const auto byte = static_cast<unsigned char>(character);
  return byte >= 0x20 && byte < 0x7f && character != '"' && character != '\\';
}

void write_text(std::string& out, const std::string& text) {
  if (std::all_of(text.begin(), text.end(), is_plain)) {
    out += '"';
    out += text;
    out += '"';
  } else {
    out += library_text(text);
  }
}

template <typename Number>
void write_whole(std::string& out, Number number) {
  char digits[24];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
  out.append(digits, end);
}

[[noreturn]] void wrong_kind(const char* expected) {
  throw std::invalid_argument(std::string{"the JSON value is not "} + expected);
}

}  // namespace

// Builds a document from the events of the library's parser.
class json_builder : public library_json::json_sax_t {
 public:
  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool key(string_t& name) override {
    open_.back().keys.push_back(std::move(name));
    return true;
  }
  bool start_array(std::size_t /*size*/) override { return start(); }
  bool start_object(std::size_t /*size*/) override { return start(); }

  bool end_array() override {
    json value;
    // Not an assignment: at -O1 GCC 12 warns that the old content might be uninitialized.
    value.content_.emplace<std::vector<json>>(std::move(open_.back().values));
    open_.pop_back();
    return add(std::move(value));
  }

  bool end_object() override {
    level object = std::move(open_.back());
    open_.pop_back();
    json::members members;
    members.reserve(object.keys.size());
    for (std::size_t i = 0; i < object.keys.size(); ++i)
      members.emplace_back(std::move(object.keys[i]), std::move(object.values[i]));
    // Of equal keys the last counts: it is the first from the end.
    std::reverse(members.begin(), members.end());
    const auto by_key = [](const auto& left, const auto& right) {
      return left.first < right.first;
    };
    std::stable_sort(members.begin(), members.end(), by_key);
    const auto same = [](const auto& left, const auto& right) { return left.first == right.first; };
    members.erase(std::unique(members.begin(), members.end(), same), members.end());
    json value;
    value.content_.emplace<json::members>(std::move(members));
    return add(std::move(value));
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const library_json::exception& /*error*/) override {
    error_ = "the text is not JSON from byte " + std::to_string(position);
    return false;
  }

  json document;

  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  // A list or object that has not ended; a list has no keys.
  struct level {
    std::vector<std::string> keys;
    json::list values;
  };

  bool start() {
    if (open_.size() == json::max_depth) {
      error_ = "the text is nested too deeply";
      return false;
    }
    open_.emplace_back();
    return true;
  }

  bool add(json value) {
    if (open_.empty()) {
      document = std::move(value);
    } else {
      open_.back().values.push_back(std::move(value));
    }
    return true;
  }

  std::vector<level> open_;
  std::string error_;
};

json::json() noexcept : content_{nullptr} {}
json::json(std::nullptr_t) noexcept : content_{nullptr} {}
json::json(const char* text) : content_{std::string{text}} {}
json::json(std::string_view text) : content_{std::string{text}} {}
json::json(std::string text) : content_{std::move(text)} {}
json::json(const json& other) = default;
json::json(json&& other) noexcept = default;
json& json::operator=(const json& other) = default;
json& json::operator=(json&& other) noexcept = default;
json::~json() = default;

json::json(std::initializer_list<json> elements) {
  const bool are_members = std::all_of(elements.begin(), elements.end(), [](const json& element) {
    return element.is_array() && element.size() == 2 && element[0].is_string();
  });
  if (are_members) {
    members object;
    object.reserve(elements.size());
    for (const json& element : elements) object.emplace_back(element[0].text(), element[1]);
    content_ = std::move(object);
  } else {
    content_ = list(elements);
  }
}

json json::array() {
  json value;
  value.content_ = list{};
  return value;
}

json json::array(std::initializer_list<json> elements) {
  json value;
  value.content_ = list(elements);
  return value;
}

json json::object() {
  json value;
  value.content_ = members{};
  return value;
}

json json::parse(std::string_view text) {
  json_builder builder;
  if (!library_json::sax_parse(text, &builder)) throw std::invalid_argument(builder.error());
  return std::move(builder.document);
}

std::optional<json> json::try_parse(std::string_view text) {
  json_builder builder;
  if (!library_json::sax_parse(text, &builder)) return std::nullopt;
  return std::move(builder.document);
}

std::string json::dump(int indent) const {
  std::string out;
  write(out, indent, 0);
  return out;
}

// A negative indent: one line.
void json::write(std::string& out, int indent, int level) const {
  const auto begin_line = [&](int at) {
    if (indent < 0) return;
    out += '\n';
    out.append(static_cast<std::size_t>(indent) * static_cast<std::size_t>(at), ' ');
  };
  const auto write_elements = [&](const auto& elements, const char* brackets,
                                  const auto& write_element) {
    out += brackets[0];
    bool is_first = true;
    for (const auto& element : elements) {
      if (!is_first) out += ',';
      is_first = false;
      begin_line(level + 1);
      write_element(element);
    }
    if (!elements.empty()) begin_line(level);
    out += brackets[1];
  };
  if (is_null()) {
    out += "null";
  } else if (const auto* truth = std::get_if<bool>(&content_)) {
    out += *truth ? "true" : "false";
  } else if (const auto* whole = std::get_if<std::int64_t>(&content_)) {
    write_whole(out, *whole);
  } else if (const auto* unsigned_whole = std::get_if<std::uint64_t>(&content_)) {
    write_whole(out, *unsigned_whole);
  } else if (const auto* fraction = std::get_if<double>(&content_)) {
    out += library_text(*fraction);
  } else if (const auto* string = std::get_if<std::string>(&content_)) {
    write_text(out, *string);
  } else if (const auto* elements = std::get_if<list>(&content_)) {
    write_elements(*elements, "[]",
                   [&](const json& element) { element.write(out, indent, level + 1); });
  } else {
    write_elements(items(), "{}", [&](const member& member) {
      write_text(out, member.first);
      out += indent < 0 ? ":" : ": ";
      member.second.write(out, indent, level + 1);
    });
  }
}

bool json::is_null() const { return std::holds_alternative<std::nullptr_t>(content_); }
bool json::is_boolean() const { return std::holds_alternative<bool>(content_); }
bool json::is_number_unsigned() const { return std::holds_alternative<std::uint64_t>(content_); }
bool json::is_string() const { return std::holds_alternative<std::string>(content_); }
bool json::is_array() const { return std::holds_alternative<list>(content_); }
bool json::is_object() const { return std::holds_alternative<members>(content_); }
bool json::is_number() const {
  return is_number_unsigned() || std::holds_alternative<std::int64_t>(content_) ||
         std::holds_alternative<double>(content_);
}

bool json::boolean() const {
  if (!is_boolean()) wrong_kind("true or false");
  return std::get<bool>(content_);
}

std::int64_t json::integer() const {
  if (is_number_unsigned()) return static_cast<std::int64_t>(std::get<std::uint64_t>(content_));
  if (const auto* value = std::get_if<std::int64_t>(&content_)) return *value;
  if (const auto* value = std::get_if<double>(&content_)) return static_cast<std::int64_t>(*value);
  wrong_kind("a number");
}

std::uint64_t json::whole_number() const {
  if (is_number_unsigned()) return std::get<std::uint64_t>(content_);
  return static_cast<std::uint64_t>(integer());
}

double json::number() const {
  if (const auto* value = std::get_if<double>(&content_)) return *value;
  if (is_number_unsigned()) return static_cast<double>(std::get<std::uint64_t>(content_));
  return static_cast<double>(integer());
}

const std::string& json::text() const {
  if (!is_string()) wrong_kind("a string");
  return std::get<std::string>(content_);
}

const json::members& json::items() const {
  if (!is_object()) wrong_kind("an object");
  return std::get<members>(content_);
}

std::size_t json::size() const {
  if (const auto* elements = std::get_if<list>(&content_)) return elements->size();
  if (const auto* object = std::get_if<members>(&content_)) return object->size();
  return is_null() ? 0 : 1;
}

json::list::const_iterator json::begin() const {
  if (!is_array()) wrong_kind("a list");
  return std::get<list>(content_).begin();
}

json::list::const_iterator json::end() const {
  if (!is_array()) wrong_kind("a list");
  return std::get<list>(content_).end();
}

const json& json::operator[](std::size_t index) const {
  if (!is_array()) wrong_kind("a list");
  return std::get<list>(content_).at(index);
}

json& json::operator[](std::size_t index) {
  if (!is_array()) wrong_kind("a list");
  return std::get<list>(content_).at(index);
}

json& json::back() {
  if (empty()) wrong_kind("a list with elements");
  return (*this)[size() - 1];
}

void json::push_back(json element) {
  if (is_null()) content_ = list{};
  if (!is_array()) wrong_kind("a list");
  std::get<list>(content_).push_back(std::move(element));
}

const json* json::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  for (const auto& [name, value] : std::get<members>(content_))
    if (name == key) return &value;
  return nullptr;
}

json json::value(std::string_view key, const json& default_value) const {
  const json* const member = find(key);
  return member == nullptr ? default_value : *member;
}

const json& json::operator[](std::string_view key) const {
  const json* const member = find(key);
  if (member == nullptr) wrong_kind(("an object with the member " + std::string{key}).c_str());
  return *member;
}

json& json::operator[](std::string_view key) {
  if (is_null()) content_ = members{};
  if (!is_object()) wrong_kind("an object");
  auto& object = std::get<members>(content_);
  for (auto& [name, value] : object)
    if (name == key) return value;
  return object.emplace_back(std::string{key}, nullptr).second;
}

void json::erase(std::string_view key) {
  if (!is_object()) wrong_kind("an object");
  std::erase_if(std::get<members>(content_),
                [&](const member& member) { return member.first == key; });
}

bool operator==(const json& left, const json& right) {
  if (left.is_number() && right.is_number()) {
    const auto* left_whole = std::get_if<std::uint64_t>(&left.content_);
    const auto* right_whole = std::get_if<std::uint64_t>(&right.content_);
    if (left_whole != nullptr && right_whole != nullptr) return *left_whole == *right_whole;
    return left.number() == right.number();
  }
  if (left.is_object() && right.is_object()) {
    return left.size() == right.size() &&
           std::all_of(left.items().begin(), left.items().end(), [&](const json::member& member) {
             const json* const other = right.find(member.first);
             return other != nullptr && *other == member.second;
           });
  }
  return left.content_ == right.content_;
}

std::ostream& operator<<(std::ostream& out, const json& document) { return out << document.dump(); }

}  // namespace stallscope
