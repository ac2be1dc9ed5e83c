#include "scheduler/devices/selectors.h"

#include <algorithm>
#include <array>
#include <utility>

#include "scheduler/devices/cel_device.h"

namespace podium::devices {
namespace {

const std::array<std::string, 1> kVariables = {"device"};

// Estimates: parsing a byte takes about 200 ns, and the program keeps about as many bytes.
constexpr std::int64_t kStepsPerByte = 10;
constexpr std::size_t kBytesPerByte = 200;

}  // namespace

void Expression::compile() const {
  std::call_once(once_, [this] {
    auto program = cel::Program::compile(text_, kVariables);
    if (program)
      program_ = std::move(*program);
    else
      compile_error_ = program.error().message;
    is_compiled_.store(true, std::memory_order_release);
  });
}

bool Expression::prepare(StepBudget& steps) const {
  if (is_compiled_.load(std::memory_order_acquire)) return true;
  const auto before = steps.left;
  if (!steps.spend(static_cast<std::int64_t>(text_.size()) * kStepsPerByte)) return false;
  compile();
  const bool has_left = steps.spend(program_ ? program_->cost() : 0);
  steps.once += before - steps.left;
  return has_left;
}

const std::string& Expression::compile_error() const {
  compile();
  return compile_error_;
}

std::size_t Expression::bytes() const {
  const bool has_program = is_compiled_.load(std::memory_order_acquire) && program_;
  return sizeof(Expression) + text_.size() * (has_program ? kBytesPerByte : 1) +
         (has_program ? program_->bytes() : 0);
}

Expression::Answer Expression::evaluate(const api::Device& device, std::string_view driver,
                                        StepBudget& steps) const {
  if (!steps.spend() || !prepare(steps)) return {};
  if (!program_) return {Match::error, compile_error_};
  const auto input = cel_device(device, driver);
  if (!input) return {Match::error, input.error()};
  cel::Spending spending{.compiling = steps.left};
  const auto value = program_->evaluate({&*input, 1}, &spending);
  // The result is known, even if it took the last steps: the caller stops at the next one.
  steps.spend(spending.units);
  if (spending.gave_up) return {};
  const auto matches = cel_bool(value);
  if (!matches) return {Match::error, matches.error()};
  return {*matches ? Match::yes : Match::no, {}};
}

// Updates the bytes of the entry: it was not compiled when it was created.
void Selectors::count(Entry& entry) {
  entry.used = ++uses_;
  const auto now = entry.expression->bytes();
  bytes_ += now - std::exchange(entry.bytes, now);
}

void Selectors::evict() {
  while (entries_.size() > 1 && (entries_.size() > capacity_ || bytes_ > most_bytes_)) {
    const auto oldest =
        std::ranges::min_element(entries_, {}, [](const auto& entry) { return entry.second.used; });
    bytes_ -= oldest->second.bytes;
    entries_.erase(oldest);
  }
}

std::shared_ptr<const Expression> Selectors::expression(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  auto known = entries_.find(text);
  if (known == entries_.end())
    known = entries_.emplace(std::string(text), Entry{std::make_shared<const Expression>(text)}).first;
  count(known->second);
  auto found = known->second.expression;
  evict();
  return found;
}

}  // namespace podium::devices
