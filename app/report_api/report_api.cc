#include "app/report_api/report_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <expected>
#include <optional>
#include <set>
#include <utility>

#include "app/report_api/api_limits.h"
#include "app/report_api/attributes.h"
#include "app/report_api/node_list.h"
#include "app/report_api/openapi.h"
#include "app/report_api/refusals.h"
#include "app/report_api/replies.h"
#include "base/clock.h"
#include "controller/what_if/asker.h"
#include "scheduler/config/schema/names.h"
#include "server/status.h"

namespace podium::app::report_api {

namespace json = boost::json;
using async::Task;
using controller::DecisionMemory;
using server::Reply;
using server::Request;
using server::status_reply;

namespace {

constexpr std::chrono::milliseconds kLook{250};  // how often a request looks for a change: a burst is one

bool has_flag(const json::object& parameters, std::string_view name) {
  const auto* value = parameters.if_contains(name);
  return value && value->as_bool();
}

// The methods of the routes with this path.
std::string methods_of(std::string_view path) {
  std::set<std::string> methods;
  for (const auto& route : routes()) {
    if (route.pattern.match(path)) methods.insert(route.method());
  }
  return fmt::format("{}", fmt::join(methods, ", "));
}

}  // namespace

// The subject that a request's path and method name.
struct ReportApi::Target {
  const Route* route = nullptr;
  std::string ns, pod;
  bool withholds_node_names = false;
};

ReportApi::ReportApi(Sources sources, Admit admit, async::Gate& gate, Clock& clock, Random& random)
    : sources_(std::move(sources)),
      admit_(std::move(admit)),
      clock_(clock),
      reads_(kReads),
      questions_({.asker = sources_.asker,
                  .are_answered = sources_.answers_what_ifs,
                  .not_synced = sources_.not_synced,
                  .admit = admit_,
                  .gate = gate,
                  .clock = clock,
                  .random = random}),
      waits_of_user_(kWaitsOfUser),
      waits_of_peer_(kWaitsOfPeer) {}

bool ReportApi::serves(std::string_view path) {
  return std::ranges::any_of(routes(), [&](const Route& one) { return one.pattern.match(path).has_value(); });
}

Reply ReportApi::openapi() const {
  return Reply(200, boost::json::serialize(openapi_document()) + "\n", "application/json");
}

Task<Reply> ReportApi::answer(ReportApi* self, Request request) {
  const auto route = std::ranges::find_if(
      routes(), [&](const Route& one) { return one.pattern.match(request.path).has_value(); });
  if (route == routes().end()) co_return status_reply(404, "there is no such path");
  auto path = route->pattern.text();
  auto reply = co_await reply_to(self, path, std::move(request));
  if (self->sources_.replied) self->sources_.replied(path, reply.status);
  co_return reply;
}

std::expected<ReportApi::Target, Reply> ReportApi::target_of(const std::string& path,
                                                             const Request& request) {
  Target target;
  for (const auto& one : routes()) {
    if (one.pattern.text() == path && one.method() == request.method) target.route = &one;
  }
  if (!target.route) {
    return std::unexpected(
        with_header(status_reply(405, fmt::format("{:?} is not served here", request.method)), "Allow",
                    methods_of(request.path)));
  }
  const auto names = *target.route->pattern.match(request.path);
  if (!names) return std::unexpected(status_reply(400, "path: " + names.error().message));
  if (!names->empty()) {
    target.ns = names->at(0);
    if (auto wrong = wrong_name("namespace", target.ns, config::check_dns_label(target.ns)))
      return std::unexpected(std::move(*wrong));
  }
  if (names->size() > 1) {
    target.pod = names->at(1);
    if (auto wrong = wrong_name("pod", target.pod, config::check_dns_subdomain(target.pod)))
      return std::unexpected(std::move(*wrong));
  }
  return target;
}

Task<Reply> ReportApi::reply_to(ReportApi* self, std::string path, Request request) {
  auto read = target_of(path, request);
  if (!read) co_return std::move(read.error());
  auto& target = *read;
  auto admission = co_await self->admit_(request, attributes_of(*target.route, target.ns));
  if (target.route->form == Form::access)
    co_return co_await access(self, std::move(request), std::move(admission));
  if (admission.refusal) co_return refusal_of(admission);
  if (self->sources_.withholds_node_names) {
    const bool may_know = co_await may_know_nodes(&self->admit_, request);
    target.withholds_node_names = !may_know;
  }
  if (target.route->is_question) {
    AskedOverHttps asked;
    asked.form = target.route->form;
    asked.ns = target.ns;
    asked.user = std::move(admission.user.name);
    asked.withholds_node_names = target.withholds_node_names;
    co_return co_await self->questions_.answer(std::move(asked), std::move(request));
  }
  auto slot = self->reads_.admit(admission.user.name, self->clock_.now());
  if (!slot.slot) co_return too_many(slot);
  const auto parameters = read_parameters(request.query, parameters_of(*target.route));
  if (!parameters) co_return status_reply(400, parameters.error().message);
  if (target.route->form == Form::changes) {
    slot.slot.reset();  // a wait has a slot of its own kind
    std::string since;
    if (const auto* given = parameters->if_contains("since")) since = given->as_string();
    auto user = std::move(admission.user.name);
    co_return co_await changes(self, &target, std::move(request), std::move(user), std::move(since));
  }
  if (target.route->form == Form::nodes) {
    auto wanted = wanted_nodes(*parameters);
    if (!wanted) co_return status_reply(400, wanted.error().message);
    co_return co_await nodes(self, std::move(*wanted));
  }
  co_return self->decided(target, *parameters);
}

// The memory is looked at from time to time, so that a decision costs nothing for those who wait.
Task<Reply> ReportApi::changes(ReportApi* self, const Target* target, Request request, std::string user,
                               std::string since) {
  const auto of_user = self->waits_of_user_.take(user);
  const auto of_peer = self->waits_of_peer_.take(request.peer);
  if (!of_user || !of_peer) co_return too_many_in_progress(of_user ? "this address" : "yours");
  const auto until = self->clock_.now() + kLongestWait;
  auto version = self->sources_.decisions.version(target->ns);
  if (version != since) co_return self->changed(version);
  bool stays = true;
  while (stays && version == since && self->clock_.now() < until && self->sources_.leads() &&
         !self->sources_.asker.stopped()) {
    stays = co_await request.rest(kLook);
    version = self->sources_.decisions.version(target->ns);
  }
  auto admission = co_await self->admit_(std::move(request), attributes_of(*target->route, target->ns));
  if (admission.refusal) co_return refusal_of(admission);
  co_return self->changed(version);
}

Reply ReportApi::changed(const std::string& version) const {
  if (sources_.asker.stopped()) return stopping();
  if (!sources_.leads() || version.empty()) return follower_reply();
  return Reply(200, json::serialize(json::object{{"version", version}}) + "\n", "application/json");
}

// Rendered on a worker for what-ifs, in the turn of no namespace.
Task<Reply> ReportApi::nodes(ReportApi* self, WantedNodes wanted) {
  const auto missing = self->sources_.not_synced();
  if (!missing.empty()) co_return not_synced(missing);
  auto& asker = self->sources_.asker;
  if (asker.stopped()) co_return stopping();
  const auto snapshot = std::make_shared<const cluster::Snapshot>(co_await asker.snapshot());
  const std::function<Reply()> render = [snapshot, wanted, leader = self->sources_.leader()] {
    return Reply(200, json::serialize(node_list(*snapshot, leader, wanted)) + "\n", "application/json");
  };
  auto reply = co_await asker.run<Reply>("", render, self->clock_.now() + kThreadWithin);
  co_return reply ? std::move(*reply) : no_thread();
}

// For every user that the cluster knows. `all`: the review of listing the decisions of all namespaces.
Task<Reply> ReportApi::access(ReportApi* self, Request request, server::AccessDecision all) {
  const bool is_known = !all.refusal || all.refusal->status == 403;
  if (!is_known || all.user.name == server::anonymous().name) co_return refusal_of(all);
  const auto slot = self->reads_.admit(all.user.name, self->clock_.now());
  if (!slot.slot) co_return too_many(slot);
  const auto parameters = read_parameters(request.query, access_parameters());
  if (!parameters) co_return status_reply(400, parameters.error().message);
  const bool may_know = co_await may_know_nodes(&self->admit_, request);
  json::object document{{"user", all.user.name},
                        {"leader", self->sources_.leader()},
                        {"mayListNodes", may_know},
                        {"mayListDecisions", !all.refusal}};
  if (const auto* ns = parameters->if_contains("namespace")) {
    auto name = std::string(ns->as_string());
    if (auto wrong = wrong_name("namespace", name, config::check_dns_label(name)))
      co_return std::move(*wrong);
    const bool may = co_await may_ask(&self->admit_, std::move(request), "get", std::move(name));
    document["mayAskAboutPods"] = may && self->sources_.answers_what_ifs;
  }
  co_return Reply(200, json::serialize(document) + "\n", "application/json");
}

Reply ReportApi::decided(const Target& target, const json::object& parameters) const {
  if (!sources_.leads()) return follower_reply();
  const ReplyContext shown{target.withholds_node_names, has_flag(parameters, kWords)};
  return target.route->is_list() ? decisions(target, parameters, shown) : decision(target, shown);
}

Reply ReportApi::follower_reply() const {
  const auto leader = sources_.leader();
  auto message = "this process does not schedule, so it has no decisions; " +
                 (leader.empty() ? "no leader is known" : "the leader is " + leader);
  if (leader.empty()) return unavailable(std::move(message));
  const json::array causes{json::object{{"reason", "Leader"}, {"message", leader}}};
  return with_header(status_reply(503, "ServiceUnavailable", std::move(message), {{"causes", causes}}),
                     "Retry-After", "1");
}

Reply ReportApi::decisions(const Target& target, const json::object& parameters,
                           const ReplyContext& shown) const {
  DecisionMemory::Query query;
  query.ns = target.ns;
  query.limit = kUsualPage;
  if (const auto* limit = parameters.if_contains("limit"))
    query.limit = static_cast<std::size_t>(limit->as_int64());
  if (const auto* waiting = parameters.if_contains("waiting")) query.is_waiting_only = waiting->as_bool();
  if (const auto* newest = parameters.if_contains("newest")) query.is_newest_first = newest->as_bool();
  if (query.is_newest_first && query.is_waiting_only)
    return status_reply(400, "waiting: cannot be combined with newest");
  if (const auto* after = parameters.if_contains("continue")) {
    if (query.is_newest_first) return status_reply(400, "continue: newest has one page only");
    query.after = std::string_view(after->as_string());
    const auto is_of_list =
        target.ns.empty() ? query.after.contains('/') : query.after.starts_with(target.ns + "/");
    if (!is_of_list) return status_reply(400, "continue: must be metadata.continue of a page of this list");
  }
  const auto listed = sources_.decisions.list(query);
  return listed.began ? decisions_reply(listed, shown) : follower_reply();
}

// A pod that evicts others was nominated when the first of them was marked.
ReplyContext ReportApi::with_fate(ReplyContext shown, const DecisionMemory::Found& found) const {
  auto& life = shown.life;
  life = {.created = found.decision->created,
          .nominated = std::nullopt,
          .is_gone = found.is_gone,
          .gone_at = found.gone_at};
  if (found.eviction) {
    life.evicted_for = found.eviction->preemptor;
    life.evicted_at = found.eviction->at;
  }
  const auto& preemption = found.decision->status.preemption;
  if (!preemption || preemption->victims.empty()) return shown;
  const auto& first = preemption->victims.front();
  const auto victim = sources_.decisions.find(first.ns, first.name);
  const explain::NamespacedName pod{found.decision->ns, found.decision->pod};
  if (victim.eviction && victim.eviction->preemptor == pod) life.nominated = victim.eviction->at;
  return shown;
}

Reply ReportApi::decision(const Target& target, const ReplyContext& shown) const {
  const auto found = sources_.decisions.find(target.ns, target.pod);
  if (found.absence == DecisionMemory::Absence::not_begun) return follower_reply();
  if (found.decision) return decision_reply(target.route->form, *found.decision, with_fate(shown, found));
  return no_decision_reply(target.ns, target.pod, found, shown.withholds_node_names);
}

}  // namespace podium::app::report_api
