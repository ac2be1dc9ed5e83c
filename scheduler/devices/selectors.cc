#include "scheduler/devices/selectors.h"

#include <algorithm>
#include <array>

#include "scheduler/devices/cel_device.h"

namespace podium::devices {
namespace {

const std::array<std::string, 1> kVariables = {"device"};

}  // namespace

Expression::Expression(std::string_view text) {
  auto program = cel::Program::compile(text, kVariables);
  if (program) {
    program_ = std::move(*program);
  } else {
    compile_error_ = program.error().message;
  }
}

Expression::Answer Expression::evaluate(const api::Device& device, std::string_view driver,
                                        Steps& steps) const {
  if (!steps.spend()) return {};
  const auto input = cel_device(device, driver);
  if (!input) return {Match::error, input.error()};
  std::int64_t spent = 0;
  const auto value = program_->evaluate({&*input, 1}, &spent);
  // What was evaluated is known, even if it took the last steps: the caller stops at the next one.
  steps.spend(spent);
  const auto matches = cel_bool(value);
  if (!matches) return {Match::error, matches.error()};
  return {*matches ? Match::yes : Match::no, {}};
}

std::shared_ptr<const Expression> Selectors::expression(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  if (const auto known = entries_.find(text); known != entries_.end()) {
    known->second.used = ++uses_;
    return known->second.expression;
  }
  if (entries_.size() >= capacity_) {
    entries_.erase(
        std::ranges::min_element(entries_, {}, [](const auto& entry) { return entry.second.used; }));
  }
  auto made = std::make_shared<const Expression>(text);
  entries_.emplace(std::string(text), Entry{made, ++uses_});
  return made;
}

}  // namespace podium::devices
