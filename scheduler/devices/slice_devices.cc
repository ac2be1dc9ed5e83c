#include "scheduler/devices/slice_devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <unordered_set>

#include "base/text_hash.h"
#include "scheduler/plugins/shared/node_selector_errors.h"

namespace podium::devices {

Matches::Matches(std::shared_ptr<const Expression> expression, const api::ResourceSlice& slice)
    : expression_(std::move(expression)),
      slice_(slice),
      many_(slice.devices.size() > few_.size() ? slice.devices.size() : 0) {}

Match Matches::of(std::size_t device, StepBudget& steps) {
  if (const auto answer = known(device); answer != Match::unknown) return answer;
  // Two threads may evaluate it at the same time; their results are equal.
  auto own = StepBudget{steps.left};
  const auto found = expression_->evaluate(slice_.devices[device], slice_.driver, own).match;
  steps.once += steps.left - own.left;
  steps.left = own.left;
  if (found != Match::unknown) match(device).store(found, std::memory_order_relaxed);
  return found;
}

std::string Matches::error(std::size_t device) const {
  StepBudget unlimited;
  return expression_->evaluate(slice_.devices[device], slice_.driver, unlimited).error;
}

namespace {

std::string go_text(std::span<const api::Requirement> requirements) {
  std::string text = "[]NodeSelectorRequirement{";
  for (const auto& requirement : requirements) {
    text += fmt::format("NodeSelectorRequirement{{Key:{},Operator:{},Values:[{}],}},", requirement.key,
                        requirement.op_text(), fmt::join(requirement.values, " "));
  }
  return text + "}";
}

// Formats a selector as Go prints it.
std::string go_text(std::span<const api::NodeSelectorTerm> terms) {
  std::string text = "&NodeSelector{NodeSelectorTerms:[]NodeSelectorTerm{";
  for (const auto& term : terms) {
    text += fmt::format("NodeSelectorTerm{{MatchExpressions:{},MatchFields:{},}},",
                        go_text(term.match_expressions), go_text(term.match_fields));
  }
  return text + "},}";
}

std::string selector_error_of(const api::DeviceNodes& nodes) {
  if (!nodes.selector) return {};
  std::vector<std::string> errors;
  for (std::size_t i = 0; i < nodes.selector->size(); ++i) {
    const auto& term = (*nodes.selector)[i];
    if (term.match_expressions.empty() && term.match_fields.empty()) continue;
    for (auto& error : plugins::parse_errors(term, fmt::format("nodeSelectorTerms[{}]", i))) {
      if (std::ranges::find(errors, error) == errors.end()) errors.push_back(std::move(error));
    }
  }
  if (errors.empty()) return {};
  const auto all = fmt::to_string(fmt::join(errors, ", "));
  return fmt::format("failed to parse node selector {}: {}", go_text(*nodes.selector),
                     errors.size() == 1 ? all : "[" + all + "]");
}

}  // namespace

SliceDevices::SliceDevices(std::shared_ptr<const api::ResourceSlice> slice) : slice_(std::move(slice)) {
  std::unordered_set<std::string_view, TextHash> names;
  for (const auto& device : slice_->devices) {
    has_duplicate_names_ |= !names.insert(device.name).second;
    consumes_counters_ |= !device.consumes_counters.empty();
    has_binding_conditions_ |= !device.binding_conditions.empty();
    has_compatibility_groups_ |= device.has_compatibility_groups;
    divides_capacity_ |=
        device.allow_multiple_allocations ||
        std::ranges::any_of(device.capacity, [](const auto& each) { return each.second.policy.has_value(); });
  }
  selector_error_ = selector_error_of(slice_->nodes);
  if (!slice_->per_device_node_selection) return;
  for (std::size_t i = 0; i < slice_->devices.size(); ++i) {
    auto error = selector_error_of(slice_->devices[i].nodes);
    if (error.empty()) continue;
    device_selector_errors_.resize(slice_->devices.size());
    device_selector_errors_[i] = std::move(error);
  }
}

const std::string& SliceDevices::selector_error(std::size_t device) const {
  static const std::string none;
  return device_selector_errors_.empty() ? none : device_selector_errors_[device];
}

std::shared_ptr<Matches> SliceDevices::matches(const std::shared_ptr<const Expression>& expression) const {
  const std::scoped_lock lock(mutex_);
  const auto known = std::ranges::find(kept_, expression.get(), &Kept::expression);
  if (known != kept_.end()) {
    known->used = ++uses_;
    return known->matches;
  }
  auto made = std::make_shared<Matches>(expression, *slice_);
  if (kept_.size() < kKept) {
    kept_.push_back({expression.get(), made, ++uses_});
  } else {
    *std::ranges::min_element(kept_, {}, &Kept::used) = {expression.get(), made, ++uses_};
  }
  return made;
}

}  // namespace podium::devices
