#include "explain/workload/validate_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/text/json_view.h"
#include "api/validate/validate.h"
#include "api/values/decimal.h"

namespace podium::explain {
namespace {

namespace json = boost::json;

constexpr std::int64_t kMostIndexedParallelism = 100'000, kMostFailedIndexes = 100'000,
                       kManyCompletions = 100'000, kMostOfManyCompletions = 10'000;
constexpr std::size_t kMostRules = 20, kMostExitCodes = 255, kMostConditions = 20,
                      kMostIndexesBytes = 64 * 1024, kMostManagerBytes = 63;

using Texts = std::span<const std::string_view>;
constexpr std::array<std::string_view, 4> kActions = {"Count", "FailIndex", "FailJob", "Ignore"};
constexpr std::array<std::string_view, 2> kOperators = {"In", "NotIn"};
constexpr std::array<std::string_view, 3> kStatuses = {"False", "True", "Unknown"};

std::optional<std::int64_t> number_in(const json::value& value, std::string_view field) {
  return api::integer_at(value, fmt::format("/{}", field));
}

void check_least(const json::value& value, std::string_view field, const FieldPath& path,
                 Problems& problems) {
  const auto number = number_in(value, field);
  if (number && *number < 0) problems.invalid(path / field, *number, kNegativeError);
}

void check_count(std::size_t count, std::size_t most, const FieldPath& at, Problems& problems) {
  if (count > most) problems.too_many(at, count, most);
}

// A text that has one of the values known to the API server.
void check_known(const json::value& value, std::string_view field, Texts known, const FieldPath& path,
                 Problems& problems) {
  const auto given = api::text_at(value, fmt::format("/{}", field));
  if (given.empty())
    problems.required(path / field,
                      fmt::format("valid values: [{}]", fmt::format("\"{}\"", fmt::join(known, "\" \""))));
  else if (std::ranges::find(known, given) == known.end())
    problems.not_supported(path / field, given, known);
}

// --- indexes ---

bool is_indexed(const json::value& spec) { return api::text_at(spec, "/completionMode") == "Indexed"; }

void check_needs_indexes(const json::value& spec, std::string_view field, const FieldPath& path,
                         Problems& problems) {
  if (const auto number = number_in(spec, field))
    problems.invalid(path / field, *number, "requires indexed completion mode");
}

void check_most(std::optional<std::int64_t> number, std::int64_t most, std::string_view when,
                const FieldPath& at, Problems& problems) {
  if (number && *number > most)
    problems.invalid(at, *number, fmt::format("must be less than or equal to {}{}", most, when));
}

void check_indexed(const json::value& spec, const FieldPath& path, Problems& problems) {
  const auto completions = number_in(spec, "completions"), parallelism = number_in(spec, "parallelism"),
             failed = number_in(spec, "maxFailedIndexes");
  if (!completions) problems.required(path / "completions", "when completion mode is Indexed");
  check_most(parallelism, kMostIndexedParallelism, " when completion mode is Indexed", path / "parallelism",
             problems);
  if (completions && failed && *failed > *completions)
    problems.invalid(path / "maxFailedIndexes", *failed, "must be less than or equal to completions");
  check_most(failed, kMostFailedIndexes, "", path / "maxFailedIndexes", problems);
  if (!completions || *completions <= kManyCompletions || !number_in(spec, "backoffLimitPerIndex")) return;
  if (!failed)
    problems.required(path / "maxFailedIndexes",
                      fmt::format("must be specified when completions is above {}", kManyCompletions));
  const auto when =
      fmt::format(" when completions are above {} and used with backoff limit per index", kManyCompletions);
  check_most(parallelism, kMostOfManyCompletions, when, path / "parallelism", problems);
  check_most(failed, kMostOfManyCompletions, when, path / "maxFailedIndexes", problems);
}

// --- podFailurePolicy ---

std::set<std::string> containers_of(const json::value& spec) {
  std::set<std::string> names;
  for (const auto* list : {"/template/spec/containers", "/template/spec/initContainers"}) {
    const auto* containers = api::find_at(spec, list);
    if (!containers || !containers->is_array()) continue;
    for (const auto& container : containers->get_array()) names.insert(api::text_at(container, "/name"));
  }
  return names;
}

void check_exit_codes(const json::value& codes, const std::set<std::string>& containers,
                      const FieldPath& path, Problems& problems) {
  check_known(codes, "operator", kOperators, path, problems);
  if (const auto* name = api::find_at(codes, "/containerName");
      name && name->is_string() && !containers.contains(api::text_at(codes, "/containerName")))
    problems.invalid(path / "containerName", ShownValue::as_is(json::serialize(*name)),
                     "must be one of the container or initContainer names in the pod template");
  const auto& values = api::list_at(codes, "/values");
  const auto at = path / "values";
  if (values.empty()) problems.add(at, "Invalid value: []: at least one value is required");
  check_count(values.size(), kMostExitCodes, at, problems);
  std::set<std::int64_t> known;
  std::optional<std::int64_t> before;
  bool is_ordered = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].is_int64()) continue;  // reported as a wrong type
    const auto code = values[i].get_int64();
    if (code == 0 && api::text_at(codes, "/operator") == "In")
      problems.invalid(at[i], 0, "must not be 0 for the In operator");
    if (!known.insert(code).second) problems.duplicate(at[i], code);
    is_ordered = is_ordered && (!before || *before <= code);
    before = code;
  }
  if (!is_ordered) problems.invalid(at, ShownValue::as_is(json::serialize(values)), "must be ordered");
}

void check_conditions(const json::array& conditions, const FieldPath& path, Problems& problems) {
  check_count(conditions.size(), kMostConditions, path, problems);
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const auto type = api::text_at(conditions[i], "/type");
    if (!api::is_qualified_name(type)) problems.invalid(path[i] / "type", type, "must be a qualified name");
    // The API server defaults the status to True.
    if (!api::text_at(conditions[i], "/status").empty())
      check_known(conditions[i], "status", kStatuses, path[i], problems);
  }
}

void check_failure_policy(const json::value& spec, const FieldPath& path, Problems& problems) {
  const auto* policy = api::find_at(spec, "/podFailurePolicy");
  if (!policy) return;
  const auto& rules = api::list_at(*policy, "/rules");
  const auto of_rules = path / "podFailurePolicy.rules";
  check_count(rules.size(), kMostRules, of_rules, problems);
  const auto containers = containers_of(spec);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const auto at = of_rules[i];
    if (api::text_at(rules[i], "/action") == "FailIndex") {
      if (!number_in(spec, "backoffLimitPerIndex"))
        problems.invalid(at / "action", "FailIndex", "requires the backoffLimitPerIndex to be set");
    } else {
      check_known(rules[i], "action", kActions, at, problems);
    }
    const auto* codes = api::find_at(rules[i], "/onExitCodes");
    const auto& conditions = api::list_at(rules[i], "/onPodConditions");
    if (codes) check_exit_codes(*codes, containers, at / "onExitCodes", problems);
    check_conditions(conditions, at / "onPodConditions", problems);
    if (codes && !conditions.empty())
      problems.add(at, "Invalid value: specifying both OnExitCodes and OnPodConditions is not supported");
    if (!codes && conditions.empty())
      problems.add(at, "Invalid value: specifying one of OnExitCodes and OnPodConditions is required");
  }
}

// --- successPolicy ---

// The number of indexes in "0-3,5", or what is wrong with it.
struct Indexes {
  std::int64_t count = 0;
  std::string error = {};
};

Indexes read_indexes(std::string_view text, std::int64_t completions) {
  Indexes out;
  std::optional<std::int64_t> last;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    const auto interval = text.substr(0, comma);
    const bool is_last = comma == text.size();
    const auto dashes = std::ranges::count(interval, '-');
    if (dashes > 1)
      return {.error = fmt::format("the fragment \"{}\" violates the requirement that an index interval can "
                                   "have at most two parts separated by '-'",
                                   interval)};
    const auto dash = std::min(interval.find('-'), interval.size());
    std::array<std::optional<std::int64_t>, 2> ends;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(dashes); ++i) {
      const auto part = i == 0 ? interval.substr(0, dash) : interval.substr(dash + 1);
      ends[i] = api::parse_integer(part);
      if (!ends[i]) return {.error = fmt::format("cannot convert string to integer for index: \"{}\"", part)};
      if (*ends[i] >= completions) return {.error = fmt::format("too large index: \"{}\"", part)};
    }
    const auto first = *ends[0], end = ends[1].value_or(first);
    if (ends[1] && first >= end)
      return {.error = fmt::format("non-increasing order, previous: {}, current: {}", first, end)};
    if (last && *last >= first)
      return {.error = fmt::format("non-increasing order, previous: {}, current: {}", *last, first)};
    out.count += end - first + 1;
    last = end;
    text.remove_prefix(is_last ? text.size() : comma + 1);
    if (text.empty() && !is_last) return {.error = "cannot convert string to integer for index: \"\""};
  }
  return out;
}

void check_success_rule(const json::value& rule, std::int64_t completions, const FieldPath& path,
                        Problems& problems) {
  const auto count = number_in(rule, "succeededCount");
  const auto* indexes = api::find_at(rule, "/succeededIndexes");
  if (!count && !indexes)
    problems.required(path, "at least one of succeededCount or succeededIndexes must be specified");
  Indexes given;
  if (indexes && indexes->is_string()) {
    const std::string_view text = indexes->get_string();
    const auto at = path / "succeededIndexes";
    if (text.size() > kMostIndexesBytes)
      problems.add(at, fmt::format("Too long: may not be more than {} bytes", kMostIndexesBytes));
    else
      given = read_indexes(text, completions);
    if (!given.error.empty())
      problems.invalid(at, text, fmt::format("error parsing succeededIndexes: {}", given.error));
  }
  if (!count) return;
  const auto at = path / "succeededCount";
  check_least(rule, "succeededCount", path, problems);
  check_most(count, completions, " (the number of specified completions)", at, problems);
  if (indexes)
    check_most(count, given.count, " (the number of indexes in the specified succeededIndexes field)", at,
               problems);
}

void check_success_policy(const json::value& spec, const FieldPath& path, Problems& problems) {
  const auto* policy = api::find_at(spec, "/successPolicy");
  if (!policy) return;
  const auto at = path / "successPolicy";
  if (!is_indexed(spec))
    return problems.invalid(at, ShownValue::as_is(json::serialize(*policy)),
                            "requires indexed completion mode");
  const auto& rules = api::list_at(*policy, "/rules");
  if (rules.empty())
    problems.required(at / "rules",
                      "at least one rules must be specified when the successPolicy is specified");
  check_count(rules.size(), kMostRules, at / "rules", problems);
  const auto completions = number_in(spec, "completions");
  for (std::size_t i = 0; i < rules.size() && completions; ++i)
    check_success_rule(rules[i], *completions, (at / "rules")[i], problems);
}

void check_replacement(const json::value& spec, const FieldPath& path, Problems& problems) {
  const auto policy = api::text_at(spec, "/podReplacementPolicy");
  const bool only_failed = api::find_at(spec, "/podFailurePolicy") != nullptr;
  if (policy.empty() || policy == "Failed" || (policy == "TerminatingOrFailed" && !only_failed)) return;
  constexpr std::array<std::string_view, 2> kPolicies = {"Failed", "TerminatingOrFailed"};
  problems.not_supported(path / "podReplacementPolicy", policy, Texts(kPolicies).first(only_failed ? 1 : 2));
}

// "example.com/manager".
bool is_domain_prefixed_path(std::string_view text) {
  const auto slash = text.find('/');
  return slash != text.npos && slash + 1 < text.size() && api::is_dns_subdomain(text.substr(0, slash));
}

void check_manager(const json::value& spec, const FieldPath& path, Problems& problems) {
  const auto* given = api::find_at(spec, "/managedBy");
  if (!given || !given->is_string()) return;
  const std::string_view manager = given->get_string();
  const auto at = path / "managedBy";
  if (!is_domain_prefixed_path(manager))
    problems.invalid(at, manager, "must be a domain-prefixed path (such as \"acme.io/foo\")");
  if (manager.size() > kMostManagerBytes)
    problems.add(at, fmt::format("Too long: may not be more than {} bytes", kMostManagerBytes));
}

}  // namespace

void check_job_spec(const json::value& spec, const FieldPath& path, Problems& problems) {
  for (const auto* field : {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
                            "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes"})
    check_least(spec, field, path, problems);
  if (number_in(spec, "maxFailedIndexes") && !number_in(spec, "backoffLimitPerIndex"))
    problems.required(path / "backoffLimitPerIndex", "when maxFailedIndexes is specified");
  check_manager(spec, path, problems);
  const auto mode = api::text_at(spec, "/completionMode");
  if (!mode.empty() && mode != "Indexed" && mode != "NonIndexed") {
    problems.not_supported(path / "completionMode", mode, {"NonIndexed", "Indexed"});
  } else if (is_indexed(spec)) {
    check_indexed(spec, path, problems);
  } else {
    check_needs_indexes(spec, "backoffLimitPerIndex", path, problems);
    check_needs_indexes(spec, "maxFailedIndexes", path, problems);
  }
  check_failure_policy(spec, path, problems);
  check_success_policy(spec, path, problems);
  check_replacement(spec, path, problems);
}

void check_job_name(std::string_view name, const json::value& spec, const FieldPath& path,
                    Problems& problems) {
  const auto completions = number_in(spec, "completions");
  if (!is_indexed(spec) || !completions || *completions <= 0) return;
  const auto host = fmt::format("{}-{}", name, *completions - 1);
  if (!api::is_dns_label(host))
    problems.invalid(path, name, fmt::format("will not able to create pod with invalid DNS label: {}", host));
}

}  // namespace podium::explain
