#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <type_traits>

#include "api/values/resource_names.h"
#include "explain/answer/fix_kinds.h"
#include "scheduler/cluster/pod_requests.h"

namespace podium::explain {
namespace {

constexpr std::int64_t kMebibyte = 1024 * 1024;

// The step of the search for a request. Finer steps are not useful.
struct Unit {
  std::string_view suffix;
  std::int64_t per_step;  // thousandths of cpu; bytes; else units
};

Unit unit_of(std::string_view resource) {
  if (resource == "cpu") return {"m", 1};
  return api::is_in_bytes(resource) ? Unit{"Mi", kMebibyte} : Unit{"", 1};
}

api::Quantity quantity(std::string_view resource, std::int64_t steps) {
  return resource == "cpu" ? api::Quantity::from_milli(steps)
                           : api::Quantity::from_units(steps * unit_of(resource).per_step);
}

std::string text(std::string_view resource, std::int64_t steps) {
  if (api::is_in_bytes(resource) && steps % 1024 == 0) return fmt::format("{}Gi", steps / 1024);
  if (resource == "cpu" && steps % 1000 == 0) return std::to_string(steps / 1000);
  return fmt::format("{}{}", steps, unit_of(resource).suffix);
}

// The list with the pod's largest single request of this resource.
template <typename List>
struct Largest {
  List* list = nullptr;
  std::string container;
  api::Quantity amount;
};

template <typename Pod>
auto largest_request(Pod& pod, std::string_view resource) {
  using List = std::conditional_t<std::is_const_v<Pod>, const api::ResourceList, api::ResourceList>;
  Largest<List> best;
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
  if (!request.list) return;
  std::ranges::find(*request.list, resource, &std::pair<std::string, api::Quantity>::first)->second =
      quantity(resource, steps);
}

// nullopt: the request cannot be reduced.
std::optional<Request> request_of(std::string_view resource, const std::string& container,
                                  const api::Quantity& amount) {
  const auto now = resource == "cpu" ? amount.milli_value() : amount.value() / unit_of(resource).per_step;
  if (now < 2) return std::nullopt;
  return Request{std::string(resource), container, now};
}

std::optional<Request> request_of(const api::Pod& pod, const std::string& resource) {
  const auto largest = largest_request(pod, resource);
  return largest.list ? request_of(resource, largest.container, largest.amount) : std::nullopt;
}

void try_less_of(const Trials& trials, const Request& request, Fixes& out) {
  // The largest request is the smallest change.
  const auto best = least_that_helps(trials, request.now - 1, [&](std::int64_t i) {
    const auto remedy = request_at_most(request, request.now - 1 - i);
    return trials.with({&remedy});
  });
  if (best) out.add(request_at_most(request, request.now - 1 - best->index), best->landing);
}

}  // namespace

std::vector<Request> requests_of(const api::Pod& pod, std::size_t most) {
  // As largest_request() finds it, of all resources together: a pod may have tens of thousands.
  struct Found {
    std::string_view resource;
    const std::string* container;  // null: the pod's own
    api::Quantity amount;
  };
  std::vector<Found> found;
  std::map<std::string_view, std::size_t> index_of;
  const auto collect = [&](const api::ResourceList& list, const std::string* container) {
    for (const auto& [name, amount] : list) {
      const auto [it, is_new] = index_of.try_emplace(name, found.size());
      if (is_new) found.push_back({name, container, amount});
      auto& known = found[it->second];
      if (known.container && amount > known.amount) known = {name, container, amount};
    }
  };
  collect(pod.pod_requests, nullptr);
  for (const auto& container : pod.containers) collect(container.requests, &container.name);
  std::vector<Request> out;
  for (const auto& [resource, container, amount] : found) {
    if (out.size() == most) break;
    if (auto request = request_of(resource, container ? *container : "", amount))
      out.push_back(*std::move(request));
  }
  return out;
}

std::string amount_words(const Request& request, std::int64_t steps) {
  return fmt::format("{} {}", text(request.resource, steps), request.resource);
}

Remedy request_at_most(const Request& request, std::int64_t steps) {
  const auto& [resource, container, now] = request;
  const auto where = container.empty() ? std::string() : fmt::format(" in container {}", container);
  boost::json::object fields{{"resource", resource}, {"atMost", text(resource, steps)}};
  if (!container.empty()) fields["container"] = container;
  return {.type = "RequestLess",
          .fields = std::move(fields),
          .message = fmt::format("request at most {} of {}{}, not {}", text(resource, steps), resource, where,
                                 text(resource, now)),
          .change_pod = [resource, steps](api::Pod& pod) { set_request(pod, resource, steps); }};
}

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
    if (const auto request = request_of(trials.pod(), resource)) try_less_of(trials, *request, out);
  }
}

}  // namespace podium::explain
