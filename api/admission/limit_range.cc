#include "api/admission/limit_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "api/values/defaults.h"
#include "api/values/resource_names.h"

namespace podium::api {
namespace {

using Lines = std::vector<std::string>;

constexpr const char* kAnnotation = "kubernetes.io/limit-ranger";
constexpr std::string_view kSet = "LimitRanger plugin set: ";

constexpr std::int64_t kMostMilli = std::numeric_limits<std::int64_t>::max() / 1000;

// Writes it as manifests do: bytes with a binary suffix if that is exact.
std::string usual_text(std::string_view resource, Quantity amount) {
  return is_in_bytes(resource) ? text_of_bytes(amount) : amount.text();
}

// What one constraint is about: of a container, a pod or a claim.
struct Observed {
  const std::string& type;
  const ResourceList &requests, &limits;
};

// An amount of a list, and whether the list has it.
struct Amount {
  Quantity quantity;
  bool is_there = false;
};

Amount amount_of(const ResourceList& list, const std::string& resource) {
  const auto* found = find_resource(list, resource);
  return found ? Amount{*found, true} : Amount{};
}

// The request, the limit and the bound at a common precision: thousandths unless one of them is too large.
// Source: requestLimitEnforcedValues.
struct Compared {
  std::int64_t request, limit, bound;
  Compared(const Amount& asked, const Amount& limited, Quantity enforced)
      : request(asked.quantity.value()), limit(limited.quantity.value()), bound(enforced.value()) {
    if (std::max({request, limit, bound}) > kMostMilli) return;
    request = asked.quantity.milli_value();
    limit = limited.quantity.milli_value();
    bound = enforced.milli_value();
  }
};

// A least or largest usage of one resource, and upstream's text about it.
struct UsageBound {
  std::string resource;
  Amount request, limit;
  Compared compared;
  std::string text;

  UsageBound(std::string_view which, const Observed& of, const std::string& name, Quantity bound)
      : resource(name),
        request(amount_of(of.requests, name)),
        limit(amount_of(of.limits, name)),
        compared(request, limit, bound),
        text(fmt::format("{} {} usage per {} is {}", which, name, of.type, usual_text(name, bound))) {}

  std::string without(std::string_view what) const {
    return fmt::format("{}.  No {} is specified", text, what);
  }
  std::string but(std::string_view what, const Amount& amount) const {
    return fmt::format("{}, but {} is {}", text, what, usual_text(resource, amount.quantity));
  }
};

void check_min(const Observed& of, const std::string& resource, Quantity min, Lines& out) {
  const UsageBound least("minimum", of, resource, min);
  if (!least.request.is_there) {
    out.push_back(least.without("request"));
  } else if (least.compared.request < least.compared.bound) {
    out.push_back(least.but("request", least.request));
  } else if (least.limit.is_there && least.compared.limit < least.compared.bound) {
    out.push_back(least.but("limit", least.limit));
  }
}

void check_max(const Observed& of, const std::string& resource, Quantity max, Lines& out) {
  const UsageBound most("maximum", of, resource, max);
  if (!most.limit.is_there) {
    out.push_back(most.without("limit"));
  } else if (most.compared.limit > most.compared.bound) {
    out.push_back(most.but("limit", most.limit));
  } else if (most.request.is_there && most.compared.request > most.compared.bound) {
    out.push_back(most.but("request", most.request));
  }
}

// A claim has no limits.
void check_max_request(const Observed& of, const std::string& resource, Quantity max, Lines& out) {
  const UsageBound most("maximum", of, resource, max);
  if (!most.request.is_there) {
    out.push_back(most.without("request"));
  } else if (most.compared.request > most.compared.bound) {
    out.push_back(most.but("request", most.request));
  }
}

void check_ratio(const Observed& of, const std::string& resource, Quantity most, Lines& out) {
  const auto request = amount_of(of.requests, resource), limit = amount_of(of.limits, resource);
  const Compared compared(request, limit, most);
  const auto bound =
      fmt::format("{} max limit to request ratio per {} is {}", resource, of.type, most.text());
  if (!request.is_there || compared.request == 0) {
    out.push_back(bound + ", but no request is specified or request is 0");
  } else if (!limit.is_there || compared.limit == 0) {
    out.push_back(bound + ", but no limit is specified or limit is 0");
  } else {
    const double ratio = static_cast<double>(compared.limit) / static_cast<double>(compared.request);
    const bool in_thousandths = most.value() <= kMostMilli;
    const double bound_of_ratio = static_cast<double>(in_thousandths ? most.milli_value() : most.value());
    if (ratio * (in_thousandths ? 1000 : 1) > bound_of_ratio)
      out.push_back(fmt::format("{}, but provided ratio is {:f}", bound, ratio));
  }
}

void check_all(const LimitRange::Item& item, const ResourceList& requests, const ResourceList& limits,
               Lines& out) {
  const Observed of{item.type, requests, limits};
  for (const auto& [resource, amount] : item.min) check_min(of, resource, amount, out);
  for (const auto& [resource, amount] : item.max) check_max(of, resource, amount, out);
  for (const auto& [resource, amount] : item.max_ratio) check_ratio(of, resource, amount, out);
}

// The pod-level amounts, or the sum of all containers. LimitRanger reads the former for cpu and memory only.
ResourceList amounts_of_pod(const Pod& pod, ResourceList Container::* of_container,
                            const ResourceList& of_pod) {
  auto amounts = aggregate_containers(pod, of_container);
  for (const auto& [name, amount] : of_pod) {
    if (name != "cpu" && name != "memory") continue;
    std::erase_if(amounts.write(), [&](const auto& each) { return each.first == name; });
    set_if_absent(amounts, name, amount);
  }
  return amounts;
}

// Upstream's form of several errors: each once.
std::string joined(const Lines& lines) {
  Lines once;
  std::set<std::string_view> known;
  for (const auto& line : lines) {
    if (known.insert(line).second) once.push_back(line);
  }
  return once.size() > 1 ? fmt::format("[{}]", fmt::join(once, ", ")) : once.empty() ? "" : once.front();
}

// The last one of several items that set a default wins.
ResourceList container_defaults(const LimitRange& range, ResourceList LimitRange::Item::* amounts) {
  ResourceList out;
  for (auto item = range.items.rbegin(); item != range.items.rend(); ++item) {
    if (item->type != "Container") continue;
    set_if_absent(out, (*item).*amounts);
  }
  return out;
}

}  // namespace

std::string too_many_comparisons(const std::vector<LimitRange>& ranges, std::size_t claims) {
  // A default that is not valid takes more than a kilobyte until the pod is refused.
  constexpr std::size_t kMost = 20'000;
  std::size_t entries = 0;
  for (const auto& range : ranges) {
    for (const auto& [_, min, max, limits, requests, max_ratio] : range.items)
      entries += 1 + min.size() + max.size() + limits.size() + requests.size() + max_ratio.size();
  }
  if (entries * claims <= kMost) return {};
  return fmt::format("the LimitRanges have {} entries, too many to compare {} objects with them", entries,
                     claims);
}

std::string too_many_comparisons(const std::vector<LimitRange>& ranges, const Pod& pod) {
  return too_many_comparisons(ranges, 1 + pod.containers.size() + pod.init_containers.size());
}

std::string text_of_bytes(Quantity amount) {
  const auto units = amount.value();
  if (units <= 0 || units % 1024 != 0 || Quantity::from_units(units) != amount) return amount.text();
  constexpr std::array<std::string_view, 5> kSuffixes = {"Ki", "Mi", "Gi", "Ti", "Pi"};
  auto rest = units / 1024;
  std::size_t suffix = 0;
  for (; rest % 1024 == 0 && suffix + 1 < kSuffixes.size(); ++suffix) rest /= 1024;
  return fmt::format("{}{}", rest, kSuffixes[suffix]);
}

void set_limit_range_defaults(const LimitRange& range, Pod& pod) {
  const auto limits = container_defaults(range, &LimitRange::Item::limits);
  const auto requests = container_defaults(range, &LimitRange::Item::requests);
  Lines done;
  for (auto* containers : {&pod.containers, &pod.init_containers}) {
    const char* prefix = containers == &pod.containers ? "" : "init ";
    const auto set = [&](const ResourceList& defaults, const char* what, std::string_view of,
                         ResourceList& list) {
      Lines names;
      for (const auto& [name, _] : defaults) {
        if (!find_resource(list, name)) names.push_back(name);
      }
      set_if_absent(list, defaults);
      if (!names.empty())
        done.push_back(fmt::format("{} {} for {}container {}", fmt::join(names, ", "), what, prefix, of));
    };
    containers->change_each([&](Container& container) {
      set(requests, "request", container.name, container.requests);
      set(limits, "limit", container.name, container.limits);
    });
  }
  if (!done.empty()) pod.meta.annotations.set(kAnnotation, fmt::format("{}{}", kSet, fmt::join(done, "; ")));
}

std::string set_by_limit_range(const ObjectMeta& meta) {
  const auto* text = meta.annotations.find(kAnnotation);
  return text && text->starts_with(kSet) ? text->substr(kSet.size()) : std::string();
}

std::string limit_range_refusal(const LimitRange& range, const Pod& pod) {
  Lines lines;
  for (const auto& item : range.items) {
    if (item.type == "Container") {
      for (const auto* containers : {&pod.containers, &pod.init_containers}) {
        for (const auto& container : *containers)
          check_all(item, container.requests, container.limits, lines);
      }
    } else if (item.type == "Pod") {
      check_all(item, amounts_of_pod(pod, &Container::requests, pod.pod_requests),
                amounts_of_pod(pod, &Container::limits, pod.pod_limits), lines);
    }
  }
  return joined(lines);
}

std::string limit_range_refusal(const LimitRange& range, const PersistentVolumeClaim& claim) {
  const ResourceList requests = {{"storage", claim.request}}, none;
  Lines lines;
  for (const auto& item : range.items) {
    if (item.type != "PersistentVolumeClaim") continue;
    const Observed of{item.type, requests, none};
    for (const auto& [resource, amount] : item.min) check_min(of, resource, amount, lines);
    for (const auto& [resource, amount] : item.max) check_max_request(of, resource, amount, lines);
  }
  return joined(lines);
}

}  // namespace podium::api
