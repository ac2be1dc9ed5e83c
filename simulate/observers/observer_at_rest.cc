// The Observer's rules at rest: each pod that fits is bound, and only periodic requests are sent.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "simulate/cluster/cluster.h"
#include "simulate/cluster/volumes.h"
#include "simulate/observers/node_use.h"
#include "simulate/observers/observer.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;

constexpr auto kFlush = 6min;  // the queue flushes after five

}  // namespace

bool Observer::at_rest(bool has_patience, bool flushed) {
  trace_.line("at rest");
  waits_for_flush_ = false;
  auto unfinished = unfinished_pods();
  if (!unfinished) unfinished = claims_.unfinished();
  if (!unfinished) unfinished = reports_.unanswered();
  if (!unfinished) {
    auto& excused = excused_[static_cast<std::size_t>(Excuse::lease_deleted)];
    unfinished = reports_.unwritten(bound_, lease_taken_ != Steady{}, excused);
  }
  if (!unfinished) unfinished = requests_.unwritten();
  if (unfinished && (has_patience || (waits_for_flush_ && !flushed))) return false;
  if (unfinished) fail(std::move(*unfinished));
  rests_since_ = agenda_.now();
  requests_since_rest_ = refused_since_rest_ = writes_since_rest_ = 0;
  refused_targets_.clear();
  return true;
}

// The nominated nodes of pods whose claims do not exist: these pods are not tried, so the nomination is not
// withdrawn, and it keeps others out. kube-scheduler also gates them.
std::set<std::string> Observer::nominated_in_vain() const {
  std::set<std::string> out;
  for (const auto& pod : store_.all("pods")) {
    const auto node = text_at(pod->value, "/status/nominatedNodeName");
    if (!node.empty() && text_at(pod->value, "/spec/nodeName").empty() && !may_be_tried(pod->value))
      out.insert(node);
  }
  return out;
}

// The nominated nodes of pods with rules, each with the highest priority of such a pod. No event wakes a
// preemptor while it waits for its victims: if a victim's labels change then, its deletion no longer concerns
// the rules. The pod waits for the flush, and until then its nomination keeps others out (4320465), as with
// kube-scheduler.
std::map<std::string, std::int64_t> Observer::nominated_until_flush() const {
  std::map<std::string, std::int64_t> out;
  for (const auto& pod : store_.all("pods")) {
    const auto node = text_at(pod->value, "/status/nominatedNodeName");
    if (node.empty() || !text_at(pod->value, "/spec/nodeName").empty() || !waits_for_victims(pod->value))
      continue;
    const auto priority = number_at(pod->value, "/spec/priority");
    auto& most = out.try_emplace(node, priority).first->second;
    most = std::max(most, priority);
  }
  return out;
}

bool Observer::waits_for_victims(const json::value& pod) const {
  return (neighbours_ && !neighbour_of(pod).rules.empty()) || (volumes_ && volumes_->lacks_its_claim(pod));
}

// True if PostFilter deallocates a claim: on some node no filter before that of devices rejects the pod, and
// this one finds the claim.
bool Observer::gives_back_a_claim(const json::value& pod) const {
  return std::ranges::any_of(store_.all("nodes"), [&](const auto& node) {
    return fits(store_, pod, node->value, INT64_MIN) && claims_.meets_held_claim(pod, node->value);
  });
}

// As it is, or after evicting the pods there with a lower priority.
bool Observer::may_be_on(const json::value& pod, const json::value& node) const {
  const auto name = text_at(node, "/metadata/name");
  const auto allows = [&](bool evicts) { return !neighbours_ || neighbours_->allows(pod, name, evicts); };
  if (!fits(store_, pod, node, number_at(pod, "/spec/priority"))) return false;
  if (volumes_ && !volumes_->fits(pod, node)) return false;
  return allows(true) || (fits(store_, pod, node, INT64_MIN) && allows(false));
}

std::optional<std::string> Observer::unfinished_pods() {
  const auto in_vain = nominated_in_vain();
  const auto until_flush = nominated_until_flush();
  for (const auto& pod : store_.all("pods")) {
    if (!text_at(pod->value, "/spec/nodeName").empty() || find_at(pod->value, "/spec/schedulingGates"))
      continue;
    if (is_leaving(pod->value)) continue;
    if (const auto node = text_at(pod->value, "/status/nominatedNodeName"); !node.empty()) {
      if (knows_nomination(uid_of(pod->value)) && may_be_tried(pod->value)) {
        waits_for_flush_ = waits_for_victims(pod->value);
        return fmt::format("{} waits, and is nominated to {}", full_name(pod->value), node);
      }
      excuse(Excuse::stale_nomination);
    }
    for (const auto& node : store_.all("nodes")) {
      const auto devices = claims_.fits(pod->value, node->value);
      if (devices == ClaimObserver::Fit::no) continue;
      if (!may_be_on(pod->value, node->value)) continue;
      if (devices == ClaimObserver::Fit::once_given_back && !gives_back_a_claim(pod->value)) {
        excuse(Excuse::kept_claim);
        continue;
      }
      if (in_vain.contains(text_at(node->value, "/metadata/name"))) {
        excuse(Excuse::stale_nomination);
        continue;
      }
      const bool evicts = !fits(store_, pod->value, node->value, INT64_MIN);
      waits_for_flush_ =
          neighbours_
              ? neighbours_->may_wait_for_flush(pod->value, evicts)
              : find_at(pod->value, "/spec/resourceClaims") != nullptr ||
                    (volumes_ && volumes_->may_wait_for_flush(pod->value, node->value, evicts, holder()));
      const auto kept = until_flush.find(text_at(node->value, "/metadata/name"));
      if (kept != until_flush.end() && kept->second >= number_at(pod->value, "/spec/priority"))
        waits_for_flush_ = true;
      const auto given_up = given_up_.find(text_at(node->value, "/metadata/name"));
      if (given_up != given_up_.end() && agenda_.now() - given_up->second < kFlush) {
        excuse(Excuse::nomination);
        continue;
      }
      return fmt::format("{} waits, and fits on {}", full_name(pod->value),
                         text_at(node->value, "/metadata/name"));
    }
  }
  return std::nullopt;
}

bool Observer::at_end(std::size_t engines) {
  trace_.line("at the end");
  if (!rests_since_) return true;
  const auto minutes = in_seconds(agenda_.now() - *rests_since_) / 60;
  // Per minute and engine: 17 watches are renewed twice, each with a request before it; the lease.
  const auto most = static_cast<std::size_t>((minutes + 1) * static_cast<double>(engines) * 140);
  if (requests_since_rest_ > most + refused_since_rest_)
    fail(fmt::format("{} requests in {:.1f} minutes of rest", requests_since_rest_, minutes));
  // A write that a policy refuses is retried after a backoff of its own.
  const auto refused_a_minute = std::max<std::size_t>(20, 4 * refused_targets_.size());
  if (refused_since_rest_ > static_cast<std::size_t>((minutes + 1) * static_cast<double>(refused_a_minute)))
    fail(fmt::format("{} refused requests in {:.1f} minutes of rest", refused_since_rest_, minutes));
  // The queue's flush retries all waiting pods.
  const auto pods = store_.all("pods").size();
  const auto most_writes = (bound_.size() + pods) * 4 + 40 + static_cast<std::size_t>(minutes * 30);
  if (writes_since_rest_ > most_writes)
    fail(fmt::format("{} writes in {:.1f} minutes of rest", writes_since_rest_, minutes));
  if (auto kept = reports_.kept_by(holder())) fail(std::move(*kept));
  return !reports_.kept();
}

void Observer::after_list_of_reports() {
  trace_.line("after the next list of reports");
  if (auto kept = reports_.kept()) fail(std::move(*kept));
}

}  // namespace podium::simulate
