#include "cel/functions.h"

#include <algorithm>
#include <string>

namespace podium::cel {
namespace {

const Table& table() {
  static const Table kTable = [] {
    Table all;
    add_operators(all);
    add_conversions(all);
    add_strings(all);
    add_lists(all);
    add_regex(all);
    add_kubernetes(all);
    add_time(all);
    // Libraries add overloads to each other's functions; earlier ones come first.
    std::stable_sort(all.begin(), all.end(),
                     [](const Function& a, const Function& b) { return a.name < b.name; });
    Table merged;
    for (Function& function : all) {
      if (merged.empty() || merged.back().name != function.name) {
        merged.push_back(std::move(function));
      } else {
        auto& overloads = merged.back().overloads;
        overloads.insert(overloads.end(), function.overloads.begin(), function.overloads.end());
      }
    }
    return merged;
  }();
  return kTable;
}

bool takes(const Overload& overload, std::span<const Value> args) {
  if (overload.args.size() != args.size()) return false;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!(overload.args[i] & bit(args[i].kind()))) return false;
  }
  if (overload.element == kAny || !args[0].is(Kind::list) || args[0].items().empty()) return true;
  return overload.element & bit(args[0].items()[0].kind());
}

// Kinds for which upstream tries the value's own method before it fails.
constexpr Kinds kReceivers = bit(Kind::string) | bit(Kind::timestamp) | bit(Kind::duration);

}  // namespace

const Function* find_function(std::string_view name) {
  const auto at =
      std::lower_bound(table().begin(), table().end(), name,
                       [](const Function& function, std::string_view n) { return function.name < n; });
  return at != table().end() && at->name == name ? &*at : nullptr;
}

Value invoke(const Function& function, const Call& call) {
  // Upstream checks a constant pattern before the kinds of the arguments.
  if (call.pattern && !call.args[0].is(Kind::string)) return Value::no_such_overload();
  if (function.is_operator) {
    if (function.receivers & bit(call.args[0].kind())) return function.overloads[0].run(call);
    if (kReceivers & bit(call.args[0].kind())) return Value::no_such_overload();
    return Value::error("no such overload: " + std::string(function.name));
  }
  for (const Overload& overload : function.overloads) {
    const bool fits =
        function.is_unguarded ? overload.args.size() == call.args.size() : takes(overload, call.args);
    if (fits) return overload.run(call);
  }
  std::string message = "no such overload: " + std::string(function.name) + "(";
  for (const Value& arg : call.args) {
    if (&arg != call.args.data()) message += ", ";
    message += arg.type_name();
  }
  return Value::error(message + ")");
}

}  // namespace podium::cel
