#include "explain/answer/node_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/counted.h"
#include "explain/answer/answer_summary.h"
#include "explain/answer/waiting.h"
#include "explain/report/refusal.h"

namespace podium::explain {
namespace {

constexpr std::size_t kOthersBytes = 253;  // of an entry of status.notModelled

std::string words_of(const WantedAnswer& wanted) {
  const auto nodes = wanted.nodes.nodes_total;
  if (nodes == 0)
    return fmt::format("{} of {} would be placed without more nodes", wanted.placed,
                       podium::counted(wanted.waiting, "pod that waits", "pods that wait"));
  return fmt::format("{} of {} would be placed with {}", wanted.placed,
                     podium::counted(wanted.waiting, "pod that waits", "pods that wait"),
                     podium::counted(nodes, "more node"));
}

std::string words_of(const SpareAnswer& spare) {
  return fmt::format("{} of {} can be removed; {} would move", spare.nodes.nodes_total,
                     podium::counted(spare.tried, "node"), podium::counted(spare.nodes.pods_moved, "pod"));
}

std::string words_of(const ComparedWeights& compared) {
  const auto& found = compared.answer;
  auto out = fmt::format("{} of {} would be placed on another node", found.moved,
                         podium::counted(found.pods, "pod"));
  if (found.lost > 0)
    out += "; " + podium::counted(found.lost, "pod loses its place", "pods lose their place");
  if (found.gained > 0) out += "; " + podium::counted(found.gained, "pod gains a place", "pods gain a place");
  return out;
}

std::string outcome_of(std::size_t asked, std::size_t fitting) {
  return fitting == asked ? "Fits" : fitting > 0 ? "PartlyFits" : "DoesNotFit";
}

void conclude(bool is_finished, std::string message, const NodeSearch& search, ReportStatus& status) {
  auto reason = is_finished ? status.outcome : std::string(kDeadlineExceeded);
  if (!is_finished) message += " (the deadline passed before the search was complete)";
  if (!search.config.extenders.empty()) message += kWithoutExtenders;
  status.message = message;
  status.attempts = 1;
  status.conditions = {report_condition("Accepted", true, "Accepted", "request is valid"),
                       report_condition("Complete", true, std::move(reason), std::move(message))};
}

// Whether podium's only profile answers for a pod of another scheduler: one that waits, or that a removed
// node would lose.
bool answers_for_others(const NodeSearch& search, const cluster::Snapshot& fork) {
  using enum SearchSpec::Kind;
  const auto kind = search.question.search->kind;
  if (search.config.profiles.size() != 1 || kind == compare_weights) return false;
  bool out = std::ranges::any_of(search.waiting, [&](const cluster::PodInfoPtr& info) {
    return !search.config.profile(info->pod->scheduler_name);
  });
  if (kind != could_go) return out;
  fork.each_pod([&](const cluster::PodInfoPtr& info) {
    const auto& pod = *info->pod;
    const auto* owner = pod.meta.controller();
    out = out || (owner && owner->kind != "DaemonSet" && owner->kind != "Node" &&
                  !search.config.profile(pod.scheduler_name));
  });
  return out;
}

// What the answer leaves out.
std::vector<std::string> left_out(const NodeSearch& search, const cluster::Snapshot& fork) {
  std::vector<std::string> out;
  if (answers_for_others(search, fork))
    out.push_back(cut(fmt::format("schedulers other than {} (their pods are evaluated with its profile)",
                                  search.config.profiles.front()->scheduler_name),
                      kOthersBytes));
  const auto& shapes = search.question.search->shapes;
  const bool has_volumes =
      std::ranges::any_of(search.waiting, [](const auto& pod) { return has_read_volume(*pod->pod); });
  for (const auto& shape : shapes) {
    if (!has_volumes || !shape.like.empty() || shape.drivers) continue;
    out.emplace_back("volume limits of new nodes whose shape has no csiLimits");
    break;
  }
  return out;
}

}  // namespace

ReportStatus answer_search(const NodeSearch& search, const cluster::Snapshot& fork) {
  constexpr const char* kNothing = "the deadline passed before a choice of nodes was tried";
  ReportStatus status;
  status.node_counts.total = fork.node_count();
  auto& answer = status.answer.emplace();
  answer.not_modelled = left_out(search, fork);
  if (search.question.search->kind == SearchSpec::Kind::could_go) {
    auto found = find_nodes_spare(search, fork);
    if (found.tried == 0 && !found.nodes.is_finished) return declined(kDeadlineExceeded, kNothing);
    answer.asked = found.tried;
    answer.fitting = found.nodes.nodes_total;
    status.outcome = answer.fitting > 0 ? "Fits" : "DoesNotFit";
    conclude(found.nodes.is_finished, words_of(found), search, status);
    answer.nodes_spare = std::move(found.nodes);
    return status;
  }
  if (search.question.search->kind == SearchSpec::Kind::compare_weights) {
    auto found = compare_weights(search, fork);
    if (!found) return refusal(found.error());
    if (found->is_too_large)
      return declined(kMemoryExceeded, "the pods of the cluster need more memory than a what-if may use");
    if (!found->is_finished) return declined(kDeadlineExceeded, kNotAllPlaced);
    answer.asked = found->answer.pods;
    answer.fitting = found->placed;
    status.outcome = outcome_of(answer.asked, answer.fitting);
    conclude(true, words_of(*found), search, status);
    answer.weights_compared = std::move(found->answer);
    return status;
  }
  auto found = find_nodes_wanted(search, fork);
  if (!found) return refusal(found.error());
  if (!*found) return declined(kDeadlineExceeded, kNothing);
  auto& wanted = **found;
  if (wanted.has_groups_without_minimum)
    answer.not_modelled.emplace_back(
        search.objects.has_all_group_minimums
            ? "minimums of groups without a PodGroup: all of their pods count"
            : "minimums of groups whose PodGroup could not be read: all of their pods count");
  answer.asked = wanted.waiting;
  answer.fitting = wanted.placed;
  status.outcome = outcome_of(answer.asked, answer.fitting);
  conclude(wanted.nodes.is_finished, words_of(wanted), search, status);
  answer.nodes_wanted = std::move(wanted.nodes);
  return status;
}

}  // namespace podium::explain
