#include <doctest/doctest.h>

#include <array>

#include "base/json.hpp"
#include "python_frames/frames_text.hpp"

namespace stallscope::python_frames {

TEST_CASE("any name is written in ASCII on a single line") {
  code_facts code{3, U"é\"\\\n\x1b\u202e\U0001F40D", U"<string>", -1, {}};
  code.name.push_back(char32_t{0xdc80});    // a byte that was no UTF-8, as os.fsdecode has it
  code.name.push_back(char32_t{0x110000});  // no character at all
  std::string out;
  put_code(out, 12, code);
  CHECK(out ==
        "{\"code\":3,\"pid\":12,\"name\":\"\\u00e9\\\"\\\\\\u000a\\u001b\\u202e\\ud83d\\udc0d"
        "\\udc80\\ufffd\",\"file\":\"<string>\",\"line\":-1,\"table\":\"\"}\n");
}

TEST_CASE("line tables of every length are written in base64") {
  for (const auto& [length, expected] :
       {std::pair{0U, ""}, {1U, "/w=="}, {2U, "//8="}, {3U, "////"}, {4U, "/////w=="}}) {
    std::string out;
    put_code(out, 1, {1, U"f", U"x.py", 1, std::vector<std::byte>(length, std::byte{0xff})});
    CHECK(json::parse(out)["table"] == expected);
  }
}

TEST_CASE("every line is a JSON document") {
  std::string out;
  put_header(out);
  put_interpreter(out, 7, "3.11.2", reading::refused, "why \"not\"");
  const std::array<python_frame, 2> frames{{{5, 36, true}, {6, 2, false}}};
  put_stack(out, 9, frames);
  put_snapshot(out, {100, 200, 8, 7, 9, std::nullopt});
  put_snapshot(out, {101, 200, 8, 7, 9, true});
  put_counts(out, {1, 2, 3, 4, 5});
  std::vector<json> lines;
  for (std::size_t at = 0; at < out.size(); at = out.find('\n', at) + 1)
    lines.push_back(json::parse(out.substr(at, out.find('\n', at) - at)));
  REQUIRE(lines.size() == 6);
  CHECK(lines[0]["format"] == "stallscope.python-frames/1.0");
  CHECK(lines[1]["how"] == "refused");
  CHECK(lines[2]["frames"] == json::parse("[[5,36,1],[6,2,0]]"));
  CHECK(lines[3]["gil"].is_null());
  CHECK(lines[4]["gil"] == true);
  CHECK(lines[5]["counts"]["too_deep"] == 5);
}

}  // namespace stallscope::python_frames
