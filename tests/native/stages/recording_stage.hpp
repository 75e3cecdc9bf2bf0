// A stage whose calls are numbers; it records what it ran. Negative numbers throw.
#pragma once

#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "stages/execution_stage.hpp"

namespace stallscope::stages {

struct number_record {
  std::vector<int> run;
  std::vector<std::pair<int, std::string>> failed;
};

struct number_handler {
  using call = int;
  number_record* record;
  std::function<void(int)> then = [](int) {};

  void run(int& number) const {
    if (number < 0) {
      throw std::runtime_error("no " + std::to_string(number));
    }
    record->run.push_back(number);
    then(number);
  }
  void failed(int& number, const std::exception_ptr& thrown) const noexcept {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::runtime_error& error) {
      record->failed.emplace_back(number, error.what());
    }
  }
};

using number_stage = execution_stage<number_handler>;

}  // namespace stallscope::stages
