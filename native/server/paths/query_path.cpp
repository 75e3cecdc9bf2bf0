#include "server/paths/query_path.hpp"

#include <openssl/crypto.h>
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "resp/reply_writer.hpp"
#include "server/paths/claim.hpp"
#include "server/paths/query_mac.hpp"
#include "server/paths/query_rows.hpp"

namespace stallscope::server {
namespace {

constexpr std::size_t max_selected = 16;

using json = rapidjson::Value;
using json_writer = rapidjson::Writer<rapidjson::StringBuffer>;

// State of one request. A failure is kept until the last step writes it.
struct query_state final : call_state {
  std::string failure;  // without "ERR query: "
  std::string_view whole_failure;
  // Parsed data lives in this pool, so that a typical request allocates nothing.
  alignas(16) std::array<char, 4096> memory;
  rapidjson::MemoryPoolAllocator<> pool{memory.data(), memory.size()};
  rapidjson::Document query{&pool};
  json row;
  std::size_t table = 0;
  std::int64_t id = 0;
  std::array<std::uint8_t, max_selected> selected{};
  std::size_t selected_count = 0;
  rapidjson::StringBuffer reply;

  [[nodiscard]] bool goes_on() const { return failure.empty() && whole_failure.empty(); }
  void renew() {
    failure.clear();
    whole_failure = {};
    query.SetNull();
    row.SetNull();
    pool.Clear();
    selected_count = 0;
    reply.Clear();
  }
};

std::string_view text_of(const json& value) { return {value.GetString(), value.GetStringLength()}; }

int hexadecimal(char digit) {
  if (digit >= '0' && digit <= '9') {
    return digit - '0';
  }
  const char lower = static_cast<char>(digit | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool read_mac(std::string_view text, mac_bytes& read) {
  if (text.size() != 2 * read.size()) {
    return false;
  }
  for (std::size_t i = 0; i < read.size(); ++i) {
    const int high = hexadecimal(text[2 * i]);
    const int low = hexadecimal(text[2 * i + 1]);
    if (high < 0 || low < 0) {
      return false;
    }
    read[i] = static_cast<unsigned char>(high * 16 + low);
  }
  return true;
}

void check_mac(mac_computer& computer, const request_call& call, query_state& state) {
  mac_bytes received_mac{};
  if (call.words[2].size() > max_query_bytes) {
    state.failure = "the JSON is longer than 16 KB";
  } else if (!read_mac(call.words[1], received_mac)) {
    state.failure = "the authentication code is not 64 hexadecimal digits";
  } else if (const auto computed = computer.mac(call.words[2]);
             CRYPTO_memcmp(computed.data(), received_mac.data(), received_mac.size()) != 0) {
    state.failure = "the authentication code does not match the JSON";
  }
}

// Iterative: nesting uses memory, not stack.
void parse(const request_call& call, query_state& state) {
  constexpr unsigned flags = rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;
  const auto text = call.words[2];
  state.query.Parse<flags>(text.data(), text.size());
  if (state.query.HasParseError()) {
    state.failure = std::string("not JSON: ") +
                    rapidjson::GetParseError_En(state.query.GetParseError()) + " (byte " +
                    std::to_string(state.query.GetErrorOffset()) + ")";
  } else if (!state.query.IsObject()) {
    state.failure = "the JSON is not an object";
  }
}

bool choose_column(const query_table& table, const json& name, query_state& state) {
  if (!name.IsString() || state.selected_count == max_selected) {
    return false;
  }
  const auto* const column = std::ranges::find(table.columns, text_of(name));
  if (column == table.columns.end()) {
    return false;
  }
  state.selected[state.selected_count++] =
      static_cast<std::uint8_t>(column - table.columns.begin());
  return true;
}

void plan(const request_call& /*call*/, query_state& state) {
  // Const, because other RapidJSON iterators do not compare unambiguously in C++20.
  const auto& query = std::as_const(state.query);
  const auto from = query.FindMember("from");
  const auto id = query.FindMember("id");
  const auto select = query.FindMember("select");
  const auto none = query.MemberEnd();
  if (from == none || id == none || select == none || !from->value.IsString() ||
      !id->value.IsInt64() || !select->value.IsArray()) {
    state.failure = R"("from" (text), "id" (integer) and "select" (array) are needed)";
    return;
  }
  const auto tables = query_tables();
  const auto table = std::ranges::find(tables, text_of(from->value), &query_table::name);
  if (table == tables.end()) {
    state.failure = "unknown table";
    return;
  }
  state.table = static_cast<std::size_t>(table - tables.begin());
  state.id = id->value.GetInt64();
  for (const auto& name : select->value.GetArray()) {
    if (!choose_column(*table, name, state)) {
      state.failure = "unknown column, or more than 16 columns";
      return;
    }
  }
}

json column_value(sqlite3_stmt* row, int column, rapidjson::MemoryPoolAllocator<>& pool) {
  switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
      return json(static_cast<std::int64_t>(sqlite3_column_int64(row, column)));
    case SQLITE_FLOAT:
      return json(sqlite3_column_double(row, column));
    case SQLITE_TEXT:
      return {reinterpret_cast<const char*>(sqlite3_column_text(row, column)),
              static_cast<rapidjson::SizeType>(sqlite3_column_bytes(row, column)), pool};
    default:
      return {};
  }
}

void execute(const query_database& database, query_state& state) {
  auto* statement = database.by_id(state.table);
  sqlite3_bind_int64(statement, 1, state.id);
  const auto status = sqlite3_step(statement);
  if (status == SQLITE_ROW) {
    state.row.SetObject();
    const auto& columns = query_tables()[state.table].columns;
    for (std::size_t i = 0; i < state.selected_count; ++i) {
      const auto column = state.selected[i];
      state.row.AddMember(json(rapidjson::StringRef(columns[column].data())),
                          column_value(statement, column, state.pool), state.pool);
    }
  } else if (status != SQLITE_DONE) {
    state.failure = sqlite3_errstr(status);
  }
  sqlite3_reset(statement);
}

void encode(const request_call& /*call*/, query_state& state) {
  json_writer writer(state.reply);
  writer.StartObject();
  const auto& query = std::as_const(state.query);
  if (const auto tag = query.FindMember("tag"); tag != query.MemberEnd()) {
    writer.Key("tag");
    tag->value.Accept(writer);
  }
  writer.Key("row");
  state.row.Accept(writer);
  writer.EndObject();
}

void reply(const request_call& call, query_state& state) {
  if (!state.whole_failure.empty()) {
    call.reply->error(state.whole_failure);
  } else if (!state.failure.empty()) {
    call.reply->error("ERR query: " + state.failure);
  } else {
    call.reply->bulk({state.reply.GetString(), state.reply.GetSize()});
  }
  state.renew();
}

class query_path final : public path {
 public:
  query_path()
      : steps_{
            {"query_authenticate", this, &authenticate}, {"query_parse", this, &in_order<&parse>},
            {"query_plan", this, &in_order<&plan>},      {"query_execute", this, &look_up},
            {"query_encode", this, &in_order<&encode>},  {"query_reply", this, &answer}} {}

  [[nodiscard]] std::span<const step> steps() const override { return steps_; }
  [[nodiscard]] std::unique_ptr<call_state> make_state() override {
    return std::make_unique<query_state>();
  }

 private:
  static query_state& state_of(const request_call& call) {
    return static_cast<query_state&>(*call.state);
  }
  static void authenticate(void* context, request_call& call) {
    if (!claim(call, "query")) {
      return;
    }
    auto& state = state_of(call);
    state.renew();  // the previous request may have ended before its last step
    if (call.words.size() != 3) {
      state.whole_failure = "ERR wrong number of arguments for 'query' command";
      return;
    }
    check_mac(static_cast<query_path*>(context)->computer_, call, state);
  }
  template <auto Work>
  static void in_order(void* /*context*/, request_call& call) {
    if (call.claimed && state_of(call).goes_on()) {
      Work(call, state_of(call));
    }
  }
  static void look_up(void* context, request_call& call) {
    if (call.claimed && state_of(call).goes_on()) {
      execute(static_cast<query_path*>(context)->database_, state_of(call));
    }
  }
  static void answer(void* /*context*/, request_call& call) {
    if (call.claimed) {
      reply(call, state_of(call));
    }
  }

  mac_computer computer_{query_key};
  query_database database_;
  std::vector<step> steps_;
};

}  // namespace

std::unique_ptr<path> make_query_path() { return std::make_unique<query_path>(); }

}  // namespace stallscope::server
