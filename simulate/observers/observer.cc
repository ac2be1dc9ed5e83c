#include "simulate/observers/observer.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <iterator>
#include <utility>

#include "base/clock.h"
#include "base/time.h"
#include "simulate/cluster/budgets.h"
#include "simulate/cluster/cluster.h"
#include "simulate/cluster/volumes.h"
#include "simulate/observers/node_use.h"
#include "simulate/protocol/route.h"
#include "simulate/server/cpu_requests.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;

constexpr int kMostInASecond = 30;
constexpr auto kDecided = 100ms;      // at most, from a decision on a binding to its first request
constexpr auto kLateWrite = 90s;      // at most, from a decision to its write
constexpr auto kRenewal = 11s;        // a renew deadline of 10 s, on a clock that drifts
constexpr auto kFlushOfNext = 10min;  // of the next leader's queue

// The engine, the pod's UID and the node; nullopt: the request is not a binding.
std::optional<std::string> binding_of(const Host& host, const client::Request& request) {
  if (request.method != "POST" || !request.target.ends_with("/binding")) return std::nullopt;
  const auto binding = json::parse(request.body);
  return host.identity + text_at(binding, "/metadata/uid") + text_at(binding, "/target/name");
}

bool is_said_unscheduled(const json::value& pod) {
  const auto* conditions = find_at(pod, "/status/conditions");
  return conditions && std::ranges::any_of(conditions->as_array(), [](const json::value& one) {
           return text_at(one, "/type") == "PodScheduled" && text_at(one, "/status") == "False";
         });
}

}  // namespace

Observer::Observer(Store& store, Agenda& agenda, Trace& trace, std::chrono::seconds ttl)
    : store_(store), agenda_(agenda), trace_(trace), assumptions_(agenda), reports_(store, agenda, ttl) {
  store_.on_commit([this](const Commit& commit) { committed(commit); });
  reads_always();
}

void Observer::fail(std::string reason) {
  trace_.line("FAILED: " + reason);
  if (failure_) return;
  failure_ = std::move(reason);
  for (const auto* plural : {"nodes", "pods", "resourceslices", "devicetaintrules", "resourceclaims"}) {
    for (const auto& object : store_.all(plural)) trace_.note(json::serialize(object->value));
  }
}

std::string Observer::holder() const {
  const auto lease = store_.find({"leases", "kube-system", "kube-scheduler"});
  return lease ? text_at(lease->value, "/spec/holderIdentity") : "";
}

// --- requests ---

void Observer::sent(const Host& host, const client::Request& request) {
  trace_.line({host.identity, " sends ", request.method, " ", request.target});
  if (!request.body.empty() && request.target.find("/leases/") == std::string::npos)
    trace_.note(request.body);
  if (rests_since_) {
    ++requests_since_rest_;
    if (request.method != "GET" && request.target.find("/leases/") == std::string::npos) {
      ++writes_since_rest_;
    }
  }
  reports_.sent(request);
  if (request.method == "GET") return;
  if (const auto route = parse_route(request.target)) {
    count(host, request, *route);
    demand(requests_.sent(host, request, *route));
  }
  claims_.sent(host, request);
  if (request.target.find("/leases") == std::string::npos) check_lease(host, request);
  if (request.target.find("/pods/") == std::string::npos) return;
  if (const auto binding = binding_of(host, request)) {
    bindings_.try_emplace(*binding, agenda_.now());
  }
  const bool nominates = find_words(request.body, "\"nominatedNodeName\":\"") != std::string::npos;
  if (nominates) note_nomination(host, request);
}

void Observer::check_lease(const Host& host, const client::Request& request) {
  const auto leads = holder();
  // If no other engine has the lease, no other one decides.
  if (!leads.empty() && leads != host.identity) {
    // An engine whose lease was deleted learns of that at the renewal.
    if (lease_taken_ != Steady{} && agenda_.now() - lease_taken_ < kRenewal)
      return excuse_lost_lease(host.identity);
    fail(fmt::format("{} sends {} {} while {} has the lease", host.identity, request.method, request.target,
                     leads));
  }
}

// An engine takes the lease only after its predecessor has given it up by its own clock.
void Observer::check_leaders() {
  const auto holds = holder();
  if (holds.empty() || !leaders) return;
  for (const auto& leader : leaders()) {
    if (leader == holds) continue;
    if (lease_taken_ != Steady{} && agenda_.now() - lease_taken_ < kRenewal) {
      excuse_lost_lease(leader);
      continue;
    }
    fail(fmt::format("{} leads while {} has the lease", leader, holds));
  }
}

// Once for each engine and deletion of the lease: the number of its requests until it learns of the deletion
// says nothing about a bug.
void Observer::excuse_lost_lease(const std::string& engine) {
  auto& excused = excused_leaders_[engine];
  if (std::exchange(excused, lease_taken_) != lease_taken_) excuse(Excuse::lease_deleted);
}

// Excuses what one of two leaders cannot know.
void Observer::judge(std::optional<ClaimObserver::Finding> finding) {
  if (!finding) return;
  const bool lost = lease_taken_ != Steady{} && agenda_.now() - lease_taken_ < kLateWrite;
  if (finding->is_takeovers) return excuse(lost ? Excuse::lease_deleted : Excuse::takeover);
  fail(std::move(finding->what));
}

void Observer::note_nomination(const Host& host, const client::Request& request) {
  boost::system::error_code failure;
  const auto body = json::parse(request.body, failure);
  if (failure) return;
  const auto node = text_at(body, "/status/nominatedNodeName");
  auto& last = nominated_[uid_of(body)];
  // A pod that waits for PreBind is nominated to its new node before its binding (2503860).
  if (!node.empty() && !last.node.empty() && last.node != node) given_up_[last.node] = agenda_.now();
  last = {node, host.identity, agenda_.now()};
}

// A request that is repeated again and again without a delay is a hot loop.
void Observer::count(const Host& host, const client::Request& request, const Route& route) {
  if (route.name.empty()) return;
  auto& [since, times] = repeated_[host.identity + " " + request.method + " " + request.target];
  if (times == 0 || agenda_.now() - since > 1s) {
    since = agenda_.now();
    times = 0;
  }
  if (++times > kMostInASecond)
    fail(fmt::format("{} sends {} {} {} times in a second", host.identity, request.method, request.target,
                     times));
}

void Observer::served(const Host& host, const client::Request& request, int status) {
  const auto path = std::string_view(request.target).substr(0, request.target.find('?'));
  trace_.line(
      {"server answers ", host.identity, " ", request.method, " ", path, " ", std::to_string(status)});
  requests_.served(host, request, status);
  if (rests_since_ && status == 403) {
    ++refused_since_rest_;
    refused_targets_.insert(fmt::format("{} {}", request.method, path));
  }
  if (status < 300 && request.method == "PATCH" && path.starts_with("/api/v1/namespaces/") &&
      path.ends_with("/status"))
    note_status(request);
}

void Observer::answered(const Host& host, const client::Request& request, const client::Response& reply) {
  const bool is_refused = reply.status >= 400 && reply.status < 500 && reply.status != 429;
  if (neighbours_ && is_refused && binding_of(host, request))
    neighbours_->refused(host.identity, text_at(json::parse(request.body), "/metadata/uid"));
  reports_.answered(host, request, reply);
  requests_.answered(host, request, reply);
  // From a probe, an engine reads only the version.
  if (request.method != "GET" || reply.status != 200 || request.target.ends_with("?limit=1")) return;
  const auto route = parse_route(request.target);
  if (!route) return;
  if (route->name.empty()) return read_list(host.identity, route->plural, reply.body);
  if (route->plural == "resourceclaims") claims_.asked(host.identity, reply.body);
}

void Observer::committed(const Commit& commit) {
  static constexpr const char* kTypes[] = {"adds", "changes", "deletes"};
  trace_.line({commit.by, " ", kTypes[static_cast<int>(commit.type)], " ", commit.key.text(), " at ",
               std::to_string(commit.version)});
  if (budgets_) budgets_->committed(commit);
  if (volumes_) demand(volumes_->committed(commit));
  if (neighbours_) neighbours_->committed(commit);
  if (commit.key.plural == "pods") pod_committed(commit);
  if (commit.key.plural == "resourceclaims") judge(claims_.committed(commit, holder() != commit.by));
  if (commit.key.plural == "schedulingreports") {
    if (auto broken = reports_.committed(commit, sent_at_)) fail(std::move(*broken));
  }
  requests_.committed(commit);
  if (commit.key.plural != "leases") return;
  if (commit.by == kHands) lease_taken_ = agenda_.now();
  check_leaders();
}

void Observer::pod_committed(const Commit& commit) {
  const auto& pod = commit.after->value;
  const auto node = text_at(pod, "/spec/nodeName"), uid = uid_of(pod);
  const auto before = commit.before ? text_at(commit.before->value, "/spec/nodeName") : "";
  if (node == before) return status_committed(commit);
  trace_.line(fmt::format("{} {} is on {}", full_name(pod), uid, node));
  if (!before.empty()) return fail(fmt::format("{} moved from {} to {}", commit.key.text(), before, node));
  if (bound_.contains(uid)) return fail(fmt::format("{} was bound twice", commit.key.text()));
  bound_[uid] = {node, commit.by, agenda_.now(), holder() != commit.by};
  judge(claims_.bound(pod, commit.by, bound_[uid].late, decided(pod, commit.by)));
  if (const auto it = nominated_.find(uid); it != nominated_.end() && it->second.node != node)
    given_up_[it->second.node] = agenda_.now();
  check_node(pod, commit.by);
  if (neighbours_) check_neighbours(pod, commit.by);
  if (volumes_) check_volumes(pod, commit.by);
}

void Observer::status_committed(const Commit& commit) {
  if (!is_engine(commit.by) || commit.type == Commit::Type::deleted) return;
  if (!text_at(commit.after->value, "/spec/nodeName").empty() && is_said_unscheduled(commit.after->value))
    return fail(fmt::format("{} is bound, but its status says that it is not scheduled", commit.key.text()));
  const auto uid = uid_of(commit.after->value);
  const bool late = sent_at_ < carried_out_[uid];
  const auto node = text_at(commit.after->value, "/status/nominatedNodeName");
  const bool changes = !commit.before || text_at(commit.before->value, "/status/nominatedNodeName") != node;
  // The previous leader may have changed the node after this one had read it (5001005).
  auto& last = nominations_[uid];
  const bool is_late = changes ? late : last.node_is_late || (!last.by.empty() && last.by != commit.by);
  last = {commit.by, agenda_.now(), late, is_late};
}

// Even a no-op write makes older in-flight writes late.
void Observer::note_status(const client::Request& request) {
  boost::system::error_code failure;
  const auto body = json::parse(request.body, failure);
  if (failure) return;
  auto& newest = carried_out_[uid_of(body)];
  newest = std::max(newest, sent_at_);
}

// True if the leader knew the pod's nomination at its last decision on the pod.
bool Observer::knows_nomination(const std::string& uid) const {
  const auto it = nominations_.find(uid);
  if (it == nominations_.end()) return true;
  const auto& nomination = it->second;
  const bool is_recent = agenda_.now() - nomination.at < kFlushOfNext;
  return !is_recent || (nomination.by == holder() && !nomination.late);
}

// The latest possible time of the decision on the binding that takes effect. A binding in doubt is requested
// repeatedly: the decision precedes the first request. Before a wait for devices, the node is nominated.
Steady Observer::decided(const json::value& pod, const std::string& by) const {
  const auto uid = uid_of(pod), node = text_at(pod, "/spec/nodeName");
  const auto first = bindings_.find(by + uid + node);
  auto sent = first == bindings_.end() ? sent_at_ : first->second;
  if (const auto begun = begun_.find(by + uid + node); begun != begun_.end())
    sent = std::min(sent, begun->second.at);
  const auto it = nominated_.find(uid);
  const bool has_waited = it != nominated_.end() && it->second.by == by && it->second.node == node &&
                          sent - it->second.at < kToReady;
  auto begun = sent;
  if (const auto asked = consulted_.find(by + uid); asked != consulted_.end()) {
    const auto before = std::ranges::upper_bound(asked->second, sent);
    if (before != asked->second.begin()) begun = *std::prev(before);
  }
  return std::min({has_waited ? it->second.at : sent, begun, claims_.decided(by, pod),
                   assumptions_.since(by, uid, node)});
}

// False: the engine may have decided before it read that the pod is on a node.
bool Observer::knows(const std::string& engine, const json::value& bound, Steady decided) const {
  const auto it = bound_.find(uid_of(bound));
  if (it == bound_.end()) return true;
  const auto known = known_bound_.find(engine + uid_of(bound));
  const bool unseen = known == known_bound_.end() || known->second + kDecided > decided;
  return !it->second.late && (it->second.by == engine || !unseen);
}

void Observer::check_node(const json::value& pod, const std::string& by) {
  const auto node = text_at(pod, "/spec/nodeName");
  const auto there = store_.find({"nodes", "", node});
  if (!there) return;  // it was deleted while the binding was in flight
  auto use = use_of(store_, node, INT64_MIN);
  if (use.cpu <= allocatable_cpu(there->value) && use.pods <= allocatable_pods(there->value)) return;
  if (loses_events_) return excuse(Excuse::lost_event);
  const auto decided = this->decided(pod, by);
  // Bindings in flight at a takeover, which the next leader cannot have seen.
  for (const auto& other : store_.all("pods")) {
    const bool is_there = text_at(other->value, "/spec/nodeName") == node;
    if (is_there && !knows(by, other->value, decided)) return excuse(Excuse::takeover);
    if (is_there && neighbours_ && !is_finished(other->value))
      use.cpu -= counted_cpu(other->value) - neighbours_->least_cpu(other->value, by, decided - kDecided);
  }
  if (use.cpu <= allocatable_cpu(there->value) && use.pods <= allocatable_pods(there->value)) return;
  fail(fmt::format("{} put more on {} than it has: {}m and {} pods", by, node, use.cpu, use.pods));
}

// A binding is sent again until an answer settles it, also after a proxy's refusal (4101940, 4102224).
// Another decision on the pod has another number of attempts.
void Observer::begins(const Host& host, cycle::Scheduler& scheduler, const client::Request& request) {
  if (request.method == "GET") return;
  requests_.begins(host, request);
  assumptions_.note(host.identity, scheduler, bound_.size(),
                    [this](const std::string& uid) { return bound_.contains(uid); });
  if (budgets_) demand(budgets_->begins(host.identity, scheduler.snapshot(), request));
  if (volumes_) volumes_->begins(host.identity, scheduler.snapshot());
  const auto binding = binding_of(host, request);
  if (!binding) return;
  const auto body = json::parse(request.body);
  const auto uid = text_at(body, "/metadata/uid");
  const auto* queued = scheduler.queue().find(uid);
  const auto [it, is_first] = begun_.try_emplace(*binding);
  const auto attempts = queued ? queued->attempts : it->second.attempts;
  if (!is_first && it->second.attempts == attempts) return;  // it is repeated
  it->second = {agenda_.now(), attempts};
  bindings_.erase(*binding);
  if (neighbours_)
    demand(neighbours_->begins(host.identity, scheduler.snapshot(), uid, text_at(body, "/target/name")));
}

void Observer::check_neighbours(const json::value& pod, const std::string& by) {
  const auto decided = this->decided(pod, by);
  const auto other = neighbours_->repels(pod, by, decided - kDecided);
  if (!other) return;
  if (loses_events_) return excuse(Excuse::lost_event);
  if (!knows(by, other->value, decided)) return excuse(Excuse::takeover);
  fail(fmt::format("{} put {} on {}, against its anti-affinity with {} on {}", by, full_name(pod),
                   text_at(pod, "/spec/nodeName"), full_name(other->value),
                   text_at(other->value, "/spec/nodeName")));
}

void Observer::check_volumes(const json::value& pod, const std::string& by) {
  const auto last = decided(pod, by), first = last - kDecided;
  demand(volumes_->bound(pod, by, first));
  const auto all = [](const json::value&) { return true; };
  if (!volumes_->shares(pod, by, first, last, all)) return;
  if (loses_events_) return excuse(Excuse::lost_event);
  const auto knows = [&](const json::value& other) {
    return uid_of(other) == uid_of(pod) || this->knows(by, other, last);
  };
  auto broken = volumes_->shares(pod, by, first, last, knows);
  if (!broken) return excuse(Excuse::takeover);
  demand(std::move(broken));
}

}  // namespace podium::simulate
