#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "api/values/defaults.h"
#include "api/values/resource_names.h"
#include "explain/answer/fix_kinds.h"
#include "scheduler/cluster/pod_requests.h"
#include "scheduler/framework/plugin_names.h"

namespace podium::explain {
namespace {

constexpr std::int64_t kMebibyte = 1024 * 1024, kGibibyte = 1024 * kMebibyte;
constexpr auto kAnyNumber = std::numeric_limits<std::size_t>::max();
// Quotas are counted at each step.
constexpr std::size_t kMostForQuotas = 8;

// The step of the search for a request: thousandths of cpu; bytes; else units. Finer steps are not useful,
// and a request of huge pages must be one of whole pages.
std::int64_t step_of(std::string_view resource) {
  if (!api::is_in_bytes(resource)) return 1;
  if (!api::is_huge_page(resource)) return kMebibyte;
  const auto page = api::Quantity::parse(resource.substr(api::kHugePages.size()));
  return page ? std::max<std::int64_t>(1, page->value()) : kMebibyte;
}

api::Quantity quantity(std::string_view resource, std::int64_t steps) {
  if (resource == "cpu") return api::Quantity::from_milli(steps);
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  const auto step = step_of(resource);
  return api::Quantity::from_units(steps > kMost / step ? kMost : steps * step);
}

std::string text(std::string_view resource, std::int64_t steps) {
  if (resource == "cpu") return steps % 1000 == 0 ? std::to_string(steps / 1000) : fmt::format("{}m", steps);
  const auto amount = quantity(resource, steps).value();
  if (!api::is_in_bytes(resource)) return std::to_string(amount);
  if (amount % kGibibyte == 0) return fmt::format("{}Gi", amount / kGibibyte);
  return amount % kMebibyte == 0 ? fmt::format("{}Mi", amount / kMebibyte) : std::to_string(amount);
}

// Rounded up.
std::int64_t steps_of(std::string_view resource, const api::Quantity& amount) {
  if (resource == "cpu") return amount.milli_value();
  const auto step = step_of(resource);
  return amount.value() / step + (amount.value() % step > 0 ? 1 : 0);
}

// The list that has the request; null: the pod has no such container.
api::ResourceList* list_of(api::Pod& pod, const std::string& container) {
  if (container.empty()) return &pod.pod_requests;
  for (auto* containers : {&pod.containers, &pod.init_containers}) {
    const auto found = std::ranges::find(*containers, container, &api::Container::name);
    if (found == containers->end()) continue;
    const auto index = static_cast<std::size_t>(found - containers->begin());
    return &containers->write()[index].requests;
  }
  return nullptr;
}

void set_request(api::Pod& pod, const std::string& container, std::string_view resource, std::int64_t steps) {
  auto* list = list_of(pod, container);
  if (!list) return;
  auto& entries = list->write();
  const auto entry = std::ranges::find(entries, resource, &api::ResourceList::value_type::first);
  if (entry != entries.end()) entry->second = quantity(resource, steps);
}

// The largest request with which the quotas allow as many replicas as with the least one.
void try_less_for_quotas(const Trials& trials, const Request& request, std::size_t allowed_now, Fixes& out) {
  const auto allowed_with = [&](std::int64_t steps) {
    const auto remedy = request_at_most(request, steps);
    return trials.allowed({&remedy});
  };
  const auto most = allowed_with(request.least);
  if (most <= allowed_now || !trials.has_time()) return;
  auto enough = request.least, too_much = request.now;
  while (too_much - enough > 1) {
    if (!trials.has_time()) return;
    const auto middle = enough + (too_much - enough) / 2;
    (allowed_with(middle) >= most ? enough : too_much) = middle;
  }
  auto remedy = request_at_most(request, enough);
  if (!trials.are_admitted({&remedy})) return;
  if (const auto landing = trials.with_more_allowed(remedy)) out.add(std::move(remedy), *landing);
}

// False: it does not help, or a LimitRange requires more.
bool try_less_of(const Trials& trials, const Request& request, Fixes& out) {
  // The largest request is the smallest change.
  const auto best = least_that_helps(trials, request.now - request.least, [&](std::int64_t i) {
    const auto remedy = request_at_most(request, request.now - 1 - i);
    return trials.with({&remedy});
  });
  if (!best) return false;
  auto remedy = request_at_most(request, request.now - 1 - best->index);
  if (!trials.are_admitted({&remedy})) return false;
  out.add(std::move(remedy), best->landing);
  return true;
}

}  // namespace

std::vector<Request> requests_of(const api::Pod& pod, std::size_t most) {
  struct Found {
    std::string_view resource;
    const std::string* container;  // null: the pod's own
    bool is_of_init;
    api::Quantity amount;
  };
  // One list for all resources: a pod may have tens of thousands.
  std::vector<Found> found;
  std::map<std::pair<std::string_view, bool>, std::size_t> index_of;  // by resource and is_of_init
  const auto collect = [&](const api::ResourceList& list, const std::string* container, bool is_of_init) {
    for (const auto& [name, amount] : list) {
      // The pod's own request counts instead of those of its containers.
      if (container && api::find_resource(pod.pod_requests, name)) continue;
      const auto [it, is_new] = index_of.try_emplace({name, is_of_init}, found.size());
      if (is_new) found.push_back({name, container, is_of_init, amount});
      auto& known = found[it->second];
      if (amount > known.amount) known = {name, container, is_of_init, amount};
    }
  };
  collect(pod.pod_requests, nullptr, false);
  for (const auto& each : pod.containers) collect(each.requests, &each.name, false);
  for (const auto& each : pod.init_containers) collect(each.requests, &each.name, true);
  const auto of_containers =
      pod.pod_requests.empty() ? api::ResourceList() : aggregate_containers(pod, &api::Container::requests);
  std::vector<Request> out;
  for (const auto& [resource, container, is_of_init, amount] : found) {
    if (out.size() == most) break;
    Request request{std::string(resource), container ? *container : "", is_of_init};
    request.now = steps_of(resource, amount);
    request.asked = amount == quantity(resource, request.now) ? text(resource, request.now) : amount.text();
    const auto* least = container ? nullptr : api::find_resource(of_containers, resource);
    if (least) request.least = std::max<std::int64_t>(1, steps_of(resource, *least));
    if (request.now > request.least) out.push_back(std::move(request));
  }
  return out;
}

std::string amount_words(const Request& request, std::int64_t steps) {
  return fmt::format("{} {}", text(request.resource, steps), request.resource);
}

Remedy request_at_most(const Request& request, std::int64_t steps) {
  const auto& [resource, container, is_of_init, now, least, asked] = request;
  const auto where = container.empty()
                         ? std::string(" for the whole pod")
                         : fmt::format(" in {} {}", is_of_init ? "init container" : "container", container);
  boost::json::object fields{{"resource", resource}, {"atMost", text(resource, steps)}};
  if (!container.empty()) fields["container"] = container;
  return {.type = "RequestLess",
          .fields = std::move(fields),
          .message = fmt::format("request at most {} of {}{}, not {}", text(resource, steps), resource, where,
                                 asked),
          .change_pod = [container, resource, steps](api::Pod& pod) {
            set_request(pod, container, resource, steps);
          }};
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
  using namespace framework::names;
  // A DeviceClass may offer an extended resource.
  const bool lacks_devices = trials.rejected_by(kDynamicResources);
  if (!lacks_devices && !trials.rejected_by(kNodeResourcesFit)) return;
  std::set<std::string> resources;
  const auto& rejections = trials.question().decision.rejections;
  for (const auto id : trials.verdicts()) {
    if (!trials.has_time()) return;
    for (auto& resource : lacking(rejections.verdict(id))) resources.insert(std::move(resource));
  }
  std::set<std::string> helped;
  for (const auto& request : requests_of(trials.pod(), kAnyNumber)) {
    if (out.full() || !trials.has_time()) return;
    // Those of init containers come last.
    const bool is_short =
        resources.contains(request.resource) || (lacks_devices && request.resource.contains('/'));
    if (!is_short || helped.contains(request.resource)) continue;
    if (try_less_of(trials, request, out)) helped.insert(request.resource);
  }
}

void add_quota_fixes(const Trials& trials, Fixes& out) {
  const auto now = trials.allowed({});
  const auto asked = static_cast<std::size_t>(trials.question().placed.asked);
  if (now >= asked || now >= static_cast<std::size_t>(trials.question().placed.fitting())) return;
  for (const auto& request : requests_of(trials.pod(), kMostForQuotas)) {
    if (out.full() || !trials.has_time()) return;
    try_less_for_quotas(trials, request, now, out);
  }
}

}  // namespace podium::explain
