#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <type_traits>

#include "explain/answer/fix_kinds.h"

namespace podium::explain {
namespace {

constexpr std::int64_t kMebibyte = 1024 * 1024;

// A unit in which a request is searched: finer steps help nobody.
struct Unit {
  std::string_view suffix;
  std::int64_t per_step;  // thousandths of cpu; bytes; else units
};

bool is_bytes(std::string_view resource) {
  return resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
}

Unit unit_of(std::string_view resource) {
  if (resource == "cpu") return {"m", 1};
  return is_bytes(resource) ? Unit{"Mi", kMebibyte} : Unit{"", 1};
}

api::Quantity quantity(std::string_view resource, std::int64_t steps) {
  return resource == "cpu" ? api::Quantity::from_milli(steps)
                           : api::Quantity::from_units(steps * unit_of(resource).per_step);
}

std::string text(std::string_view resource, std::int64_t steps) {
  if (is_bytes(resource) && steps % 1024 == 0) return fmt::format("{}Gi", steps / 1024);
  if (resource == "cpu" && steps % 1000 == 0) return std::to_string(steps / 1000);
  return fmt::format("{}{}", steps, unit_of(resource).suffix);
}

// The list with the pod's largest single request of this resource: its own, or a container's.
template <typename List>
struct Request {
  List* list = nullptr;
  std::string container;  // empty: of the pod
  api::Quantity amount;
};

template <typename Pod>
auto largest_request(Pod& pod, std::string_view resource) {
  using List = std::conditional_t<std::is_const_v<Pod>, const api::ResourceList, api::ResourceList>;
  Request<List> best;
  const auto offer = [&](List& list, const std::string& container) {
    const auto* found = api::find_resource(list, resource);
    if (found && (!best.list || *found > best.amount)) best = {&list, container, *found};
  };
  offer(pod.pod_requests, "");
  if (best.list) return best;
  for (auto& container : pod.containers) offer(container.requests, container.name);
  return best;
}

void set_request(api::Pod& pod, std::string_view resource, std::int64_t steps) {
  const auto request = largest_request(pod, resource);
  std::ranges::find(*request.list, resource, &std::pair<std::string, api::Quantity>::first)->second =
      quantity(resource, steps);
}

void try_less_of(const Trials& trials, const std::string& resource, Fixes& out) {
  const auto request = largest_request(trials.pod(), resource);
  if (!request.list) return;
  const auto now =
      resource == "cpu" ? request.amount.milli_value() : request.amount.value() / unit_of(resource).per_step;
  if (now < 2) return;
  const auto lands = [&](std::int64_t steps) {
    return trials.with_pod([&](api::Pod& pod) { set_request(pod, resource, steps); });
  };
  std::int64_t fits = 1, too_much = now;  // invariant, once the least fits
  auto landing = lands(fits);
  if (!landing) return;
  while (too_much - fits > 1) {
    const auto middle = fits + (too_much - fits) / 2;
    if (auto there = lands(middle)) {
      fits = middle;
      landing = std::move(there);
    } else {
      if (!trials.has_time()) return;  // the largest amount is not known
      too_much = middle;
    }
  }
  auto where = request.container.empty() ? std::string() : fmt::format(" in container {}", request.container);
  boost::json::object fields{{"resource", resource}, {"atMost", text(resource, fits)}};
  if (!request.container.empty()) fields["container"] = request.container;
  out.add("RequestLess", std::move(fields),
          fmt::format("request at most {} of {}{}, not {}", text(resource, fits), resource, where,
                      text(resource, now)),
          *landing);
}

}  // namespace

std::vector<std::string> lacking(const framework::Verdict& verdict) {
  std::vector<std::string> resources;
  for (const auto& reason : verdict.reasons) {
    if (reason.code == framework::ReasonCode::insufficient_resource)
      resources.emplace_back(framework::named(reason.about, framework::Topic::resource));
  }
  return resources;
}

void add_resource_fixes(const Trials& trials, Fixes& out) {
  if (!trials.rejected_by("NodeResourcesFit")) return;
  std::set<std::string> resources;
  const auto& rejections = trials.question().decision.rejections;
  for (const auto id : trials.verdicts()) {
    if (!trials.has_time()) return;
    for (auto& resource : lacking(rejections.verdict(id))) resources.insert(std::move(resource));
  }
  for (const auto& resource : resources) {
    if (out.full() || !trials.has_time()) return;
    try_less_of(trials, resource, out);
  }
}

}  // namespace podium::explain
