#include "app/render/namespace_capacity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json/object.hpp>

#include "api/text/json_view.h"
#include "app/render/exit_codes.h"
#include "app/render/what_if.h"
#include "app/render/words.h"
#include "explain/report/reason_words.h"

namespace podium::render {
namespace {

namespace json = boost::json;

struct Left {
  std::size_t count = 0;
  bool may_be_more = false;
  std::string limit = {};
};

std::string why_no_more(const explain::FirstFailure* failure, const Report& report) {
  const auto& rejections = failure ? failure->rejections : report.status.rejections;
  const auto* main = main_rejection(rejections);
  if (!main) return failure ? failure->message : report.status.message;
  const auto least = shortfall_words(*main);
  return rejection_of(counted(main->nodes, "node"), *main) + (least.empty() ? "" : "; " + least);
}

std::size_t minus(std::size_t a, std::size_t b) { return a - std::min(a, b); }

// The existing pods that take some of the room in the answer: all of them, or those that wait.
std::size_t existing(const NamespaceCapacity::Asked& asked) {
  if (!asked.replicas) return 0;
  return asked.is_about_more ? minus(asked.replicas->existing, asked.replicas->placed)
                             : asked.replicas->existing;
}

// Those that the quotas of the answer count again.
std::size_t existing_in_quotas(const NamespaceCapacity::Asked& asked) {
  return asked.is_about_more ? 0 : existing(asked);
}

// What the nodes have room for.
Left on_nodes(const NamespaceCapacity::Asked& asked) {
  const auto& answer = answer_of(asked.report);
  if (answer.fitting < answer.asked)
    return {.count = minus(answer.fitting, existing(asked)),
            .limit = why_no_more(answer.first_failure ? &*answer.first_failure : nullptr, asked.report)};
  Left left{.count = minus(answer.fitting, existing(asked))};
  if (!answer.room) return left;
  left.count = minus(answer.fitting + answer.room->count, existing(asked));
  left.may_be_more = answer.room->may_be_more;
  if (!left.may_be_more)
    left.limit =
        why_no_more(answer.room->first_failure ? &*answer.room->first_failure : nullptr, asked.report);
  return left;
}

std::string count_of(const Left& left) {
  return fmt::format("{}{}", left.may_be_more ? "at least " : "", left.count);
}

Left left_of(const NamespaceCapacity::Asked& asked) {
  if (const auto* refusal = refusal_of(asked.report)) return {.limit = "refused: " + *refusal};
  const auto& answer = answer_of(asked.report);
  auto left = on_nodes(asked);
  const auto nodes = count_of(left);
  for (const auto& quota : answer.quotas) {
    const auto allowed = minus(quota.allowed, existing_in_quotas(asked));
    if (allowed >= left.count) continue;
    left = {.count = allowed, .limit = room_and_quota(nodes, quota.name, allowed)};
    if (!quota.reason.empty())
      left.limit += ": " + quota.reason;
    else if (!quota.resources.empty())
      left.limit += fmt::format(" ({})", quota.resources.front().resource);
  }
  return left;
}

// "Quota q: pods 20/25, requests.cpu 10/64."
std::string used_of(const json::value& quota) {
  std::vector<std::string> amounts;
  const auto* hard = api::find_at(quota, "/status/hard");
  if (!hard || !hard->is_object()) return {};
  const auto* used = api::find_at(quota, "/status/used");
  for (const auto& [resource, limit] : hard->get_object()) {
    const auto* now = used && used->is_object() ? used->get_object().if_contains(resource) : nullptr;
    const auto text = [](const json::value* value) {
      return value && value->is_string() ? std::string(value->get_string()) : std::string("?");
    };
    amounts.push_back(fmt::format("{} {}/{}", std::string_view(resource), text(now), text(&limit)));
  }
  if (amounts.empty()) return {};
  return fmt::format("Quota {}: {}.\n", printable(api::text_at(quota, "/metadata/name")),
                     printable(fmt::format("{}", fmt::join(amounts, ", "))));
}

// "20", or "78/400": how many replicas have a place, of how many.
std::string now_of(const NamespaceCapacity::Asked& asked) {
  if (!asked.replicas) return "-";
  const auto wanted = asked.replicas->wanted, placed = asked.replicas->placed;
  return placed == wanted ? fmt::to_string(placed) : fmt::format("{}/{}", placed, wanted);
}

}  // namespace

json::object capacity_words_json(const Report& report) {
  const auto left = left_of({.name = {}, .replicas = std::nullopt, .report = report});
  json::object out{{"more", count_of(left)}};
  if (!left.limit.empty()) out["limit"] = left.limit;
  if (left.count > 0) {
    auto competing = competing_line(answer_of(report).others_waiting);
    if (!competing.empty()) competing.pop_back();  // the end of the line
    if (!competing.empty()) out["competing"] = std::move(competing);
  }
  return out;
}

std::string namespace_capacity_table(const NamespaceCapacity& capacity, const Options& options) {
  if (capacity.rooms.empty())
    return fmt::format(
        "{} has no Deployment and no StatefulSet. For other pods: --requests "
        "cpu=500m,memory=1Gi\n",
        capacity.ns);
  auto out = fmt::format("What {} could still run, each alone:\n", options.style.bold(capacity.ns));
  std::vector<Cells> rows{{"PODS", "NOW", "MORE", "LIMITED BY"}};
  for (const auto& asked : capacity.rooms) {
    const auto left = left_of(asked);
    const auto count = count_of(left);
    rows.push_back({asked.name, now_of(asked),
                    left.count > 0 ? options.style.good(count) : options.style.bad(count), left.limit});
  }
  constexpr std::size_t kName = 0, kLimit = 3;
  out += table(rows, {Align::left, Align::right, Align::right, Align::left}, 2,
               {options.columns, {{kLimit, 24}, {kName, 16}}});
  if (const auto cut = capacity.workloads_total - capacity.rooms.size(); cut > 0)
    out += fmt::format("  and {}, which were not asked about\n", counted(cut, "more workload"));
  for (const auto& quota : capacity.quotas) out += used_of(quota);
  std::size_t competing = 0;
  for (const auto& asked : capacity.rooms) {
    if (left_of(asked).count > 0)
      competing = std::max(competing, minus(answer_of(asked.report).others_waiting, asked.own_waiting));
  }
  return out + competing_line(competing) + "NOW: replicas that are placed. Nothing was created.\n";
}

int namespace_capacity_exit_code(const NamespaceCapacity& capacity) {
  const auto some =
      std::ranges::count_if(capacity.rooms, [](const auto& each) { return left_of(each).count > 0; });
  return code_of_fitting(static_cast<std::size_t>(some), capacity.rooms.size());
}

}  // namespace podium::render
