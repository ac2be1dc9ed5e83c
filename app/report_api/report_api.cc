#include "app/report_api/report_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <optional>
#include <set>
#include <utility>

#include "app/report_api/attributes.h"
#include "app/report_api/node_list.h"
#include "app/report_api/openapi.h"
#include "app/report_api/question_body.h"
#include "app/report_api/replies.h"
#include "async/on.h"
#include "async/within.h"
#include "base/clock.h"
#include "base/random.h"
#include "controller/what_if/asker.h"
#include "explain/answer/changes.h"
#include "explain/question/question.h"
#include "scheduler/config/schema/names.h"
#include "server/status.h"

namespace podium::app::report_api {

namespace json = boost::json;
using async::Task;
using controller::DecisionMemory;
using server::Reply;
using server::Request;
using server::status_reply;
using server::UserLimits;

namespace {

constexpr UserLimits::Options kReads{.per_second = 50, .burst = 100, .active = 8, .active_in_all = 16};
constexpr UserLimits::Options kQuestions{.per_second = 5, .burst = 20, .active = 4, .active_in_all = 32};
// For all users of a namespace together: a tenant can create accounts more easily than namespaces.
constexpr Shares::Bounds kQuestionsOfNamespace{.in_all = 24, .of_one = 6, .reserve = 8};
// Bodies in progress. The server bounds those of an address, which many users may share.
constexpr Shares::Bounds kBodiesOfUser{.in_all = 16, .of_one = 4, .reserve = 4};
constexpr Shares::Bounds kBodiesOfNamespace{.in_all = 12, .of_one = 6, .reserve = 4};
// Requests that wait for changes: less than half of the connections, also of those of a peer.
constexpr Shares::Bounds kWaitsOfUser{.in_all = 24, .of_one = 4, .reserve = 8};
constexpr Shares::Bounds kWaitsOfPeer{.in_all = 24, .of_one = 12, .reserve = 8};
constexpr std::chrono::seconds kLongestWait{25};
constexpr std::chrono::milliseconds kLook{250};  // how often a request looks for a change: a burst is one
// From the body's arrival: until a thread is free, and until the answer.
constexpr std::chrono::seconds kThreadWithin{15}, kAnswerWithin{30};

Reply with(Reply reply, const char* header, std::string value) {
  reply.headers.emplace_back(header, std::move(value));
  return reply;
}

Reply unavailable(std::string message) {
  return with(status_reply(503, std::move(message)), "Retry-After", "1");
}

std::optional<std::string> wrong_name(const char* what, const std::string& name,
                                      std::vector<std::string> errors) {
  if (errors.empty()) return std::nullopt;
  return fmt::format("{} {:?}: {}", what, name, errors.front());
}

// A client without credentials gets 401, unless the cluster admits anonymous users.
Reply refused(const server::AccessDecision& admission) {
  if (admission.refusal->status != 403 || admission.user.name != server::anonymous().name)
    return *admission.refusal;
  return with(status_reply(401, "Unauthorized"), "WWW-Authenticate", "Bearer");
}

Reply too_many(const UserLimits::Admission& refused) {
  return with(status_reply(429, refused.why), "Retry-After", std::to_string(refused.retry_after.count()));
}

Reply no_thread() {
  return with(status_reply(504, "no thread for what-ifs was free in time"), "Retry-After", "5");
}

UserLimits::Admission in_progress(const char* whose) {
  return {{}, fmt::format("too many requests of {} are in progress", whose), std::chrono::seconds(1)};
}
UserLimits::Admission of_namespace_refused() { return in_progress("this namespace"); }

using Read = Result<QuestionPtr>;
using Names = std::vector<std::string>;
constexpr std::size_t kMostReviewed = 32;  // namespaces of a question: up to two reviews each

bool has_flag(const json::object& parameters, std::string_view name) {
  const auto* value = parameters.if_contains(name);
  return value && value->as_bool();
}

}  // namespace

namespace {

std::string uid_of(std::uint64_t high, std::uint64_t low) {
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff, high & 0xffff,
                     low >> 48, low & 0xffffffffffff);
}

// FNV-1a, twice.
std::string uid_of(std::string_view seed) {
  std::uint64_t halves[] = {0xcbf29ce484222325, 0x9ae16a3b2f90404f};
  for (auto& half : halves) {
    for (const unsigned char c : seed) half = (half ^ c) * 0x100000001b3;
  }
  return uid_of(halves[0], halves[1]);
}

}  // namespace

// The subject that a request's path and method name.
struct ReportApi::Target {
  const Route* route = nullptr;
  std::string ns, pod;
  bool withholds_node_names = false;
};

namespace {

// The methods of the routes with this path.
std::string methods_of(std::string_view path) {
  std::set<std::string> methods;
  for (const auto& route : routes()) {
    if (route.pattern.match(path)) methods.insert(route.method());
  }
  return fmt::format("{}", fmt::join(methods, ", "));
}

}  // namespace

ReportApi::ReportApi(Sources sources, Admit admit, async::Gate& gate, Clock& clock, Random& random)
    : sources_(std::move(sources)),
      admit_(std::move(admit)),
      gate_(gate),
      clock_(clock),
      random_(random),
      reads_(kReads),
      questions_(kQuestions),
      questions_of_namespace_(kQuestionsOfNamespace),
      bodies_of_user_(kBodiesOfUser),
      bodies_of_namespace_(kBodiesOfNamespace),
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

Task<Reply> ReportApi::reply_to(ReportApi* self, std::string path, Request request) {
  Target target;
  for (const auto& one : routes()) {
    if (one.pattern.text() == path && one.method() == request.method) target.route = &one;
  }
  if (!target.route) {
    co_return with(status_reply(405, fmt::format("{:?} is not served here", request.method)), "Allow",
                   methods_of(request.path));
  }
  const auto names = *target.route->pattern.match(request.path);
  if (!names) co_return status_reply(400, "path: " + names.error().message);
  // Checked before any review of access to the namespace.
  std::optional<std::string> wrong;
  if (!names->empty()) {
    target.ns = names->at(0);
    wrong = wrong_name("namespace", target.ns, config::check_dns_label(target.ns));
  }
  if (names->size() > 1) {
    target.pod = names->at(1);
    if (!wrong) wrong = wrong_name("pod", target.pod, config::check_dns_subdomain(target.pod));
  }
  if (wrong) co_return status_reply(400, std::move(*wrong));

  auto admission = co_await self->admit_(request, attributes_of(*target.route, target.ns));
  if (target.route->form == Form::access)
    co_return co_await access(self, std::move(request), std::move(admission));
  if (admission.refusal) co_return refused(admission);
  if (self->sources_.withholds_node_names) {
    const bool may_know = co_await may_know_nodes(self, request);
    target.withholds_node_names = !may_know;
  }
  if (target.route->is_question)
    co_return co_await ask(self, &target, std::move(request), std::move(admission.user.name));
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
  if (!of_user || !of_peer) co_return too_many(in_progress(of_user ? "this address" : "yours"));
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
  if (admission.refusal) co_return refused(admission);
  co_return self->changed(version);
}

Reply ReportApi::changed(const std::string& version) const {
  if (sources_.asker.stopped()) return unavailable("this process is stopping");
  if (!sources_.leads() || version.empty()) return follower_reply();
  return Reply(200, json::serialize(json::object{{"version", version}}) + "\n", "application/json");
}

// Rendered on a worker for what-ifs, in the turn of no namespace.
Task<Reply> ReportApi::nodes(ReportApi* self, WantedNodes wanted) {
  const auto missing = self->sources_.not_synced();
  if (!missing.empty())
    co_return unavailable(fmt::format("not synced with the API server: {}", fmt::join(missing, ", ")));
  auto& asker = self->sources_.asker;
  if (asker.stopped()) co_return unavailable("this process is stopping");
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
  if (!is_known || all.user.name == server::anonymous().name) co_return refused(all);
  const auto slot = self->reads_.admit(all.user.name, self->clock_.now());
  if (!slot.slot) co_return too_many(slot);
  const auto parameters = read_parameters(request.query, access_parameters());
  if (!parameters) co_return status_reply(400, parameters.error().message);
  const bool may_know = co_await may_know_nodes(self, request);
  json::object document{{"user", all.user.name},
                        {"leader", self->sources_.leader()},
                        {"mayListNodes", may_know},
                        {"mayListDecisions", !all.refusal}};
  if (const auto* ns = parameters->if_contains("namespace")) {
    auto name = std::string(ns->as_string());
    if (auto wrong = wrong_name("namespace", name, config::check_dns_label(name)))
      co_return status_reply(400, std::move(*wrong));
    const bool may = co_await may_ask(self, std::move(request), "get", std::move(name));
    document["mayAskAboutPods"] = may && self->sources_.answers_what_ifs;
  }
  co_return Reply(200, json::serialize(document) + "\n", "application/json");
}

// A user who may list nodes knows their names.
Task<bool> ReportApi::may_know_nodes(ReportApi* self, Request request) {
  const auto admission = co_await self->admit_(std::move(request), list_of_nodes());
  co_return !admission.refusal;
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
  return with(status_reply(503, "ServiceUnavailable", std::move(message), {{"causes", causes}}),
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
  if (query.is_newest_first && query.is_waiting_only) return status_reply(400, "waiting: not with newest");
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
          .evicted_for = found.evicted_for,
          .evicted_at = found.evicted_at,
          .is_gone = found.is_gone,
          .gone_at = found.gone_at};
  const auto& preemption = found.decision->status.preemption;
  if (!preemption || preemption->victims.empty()) return shown;
  const auto& first = preemption->victims.front();
  const auto victim = sources_.decisions.find(first.ns, first.name);
  if (victim.evicted_for == found.decision->ns + "/" + found.decision->pod)
    life.nominated = victim.evicted_at;
  return shown;
}

Reply ReportApi::decision(const Target& target, const ReplyContext& shown) const {
  const auto found = sources_.decisions.find(target.ns, target.pod);
  if (found.absence == DecisionMemory::Absence::not_begun) return follower_reply();
  if (found.decision) return decision_reply(target.route->form, *found.decision, with_fate(shown, found));
  return no_decision_reply(target.ns, target.pod, found, shown.withholds_node_names);
}

// Takes a slot for the question when its body is complete, so that slow senders hold none.
Task<Reply> ReportApi::ask(ReportApi* self, const Target* target, Request request, std::string user) {
  if (!self->sources_.answers_what_ifs)
    co_return status_reply(404, "what-ifs are switched off: whatIf.enabled");
  const auto missing = self->sources_.not_synced();
  if (!missing.empty())
    co_return unavailable(fmt::format("not synced with the API server: {}", fmt::join(missing, ", ")));
  if (self->sources_.asker.stopped()) co_return unavailable("this process is stopping");
  auto fields = read_parameters(request.query, question_parameters());
  if (!fields) co_return status_reply(400, fields.error().message);
  const auto type = content_type_of(request.content_type);
  if (!type) {
    co_return status_reply(
        415, fmt::format("Content-Type {:?} is not served (known: {})", request.content_type, kContentTypes));
  }
  auto of_user = self->bodies_of_user_.take(user);
  auto of_namespace = self->bodies_of_namespace_.take(target->ns);
  if (!of_user || !of_namespace) {
    co_return too_many(of_user ? of_namespace_refused() : in_progress("yours"));
  }
  auto text = co_await request.read_body(kBodyBytes);
  of_user.reset();
  of_namespace.reset();
  if (!text && text.error().status.code == 503) co_return unavailable(std::move(text.error().message));
  if (!text) co_return status_reply(text.error().status.code == 413 ? 413 : 408, text.error().message);
  auto slot = self->questions_.admit(user, self->clock_.now());
  if (!slot.slot) co_return too_many(slot);
  auto of_all_users = self->questions_of_namespace_.take(target->ns);
  if (!of_all_users) co_return too_many(of_namespace_refused());
  auto slots = std::make_shared<std::pair<UserLimits::Slot, Shares::Slot>>(std::move(slot.slot),
                                                                           std::move(of_all_users));
  auto body = std::make_shared<QuestionBody>();
  body->text = std::move(*text);
  body->type = *type;
  body->ns = target->ns;
  const auto* seed = fields->if_contains(kSeed);
  body->uid = seed ? uid_of(seed->as_string()) : self->new_uid();
  fields->erase(kSeed);
  body->withholds_node_names = target->withholds_node_names;
  const bool with_words = has_flag(*fields, kWords), sees_all = has_flag(*fields, kAllNamespaces);
  fields->erase(kWords);
  fields->erase(kAllNamespaces);
  body->fields = std::move(*fields);
  auto evaluation = evaluate(self, target->route->form, {with_words, sees_all}, std::move(request),
                             std::move(body), std::move(slots));
  auto reply =
      co_await async::within<Reply>(self->gate_, "HTTPS what-if", std::move(evaluation), kAnswerWithin);
  if (reply) co_return std::move(*reply);
  co_return with(status_reply(504, "the answer took too long"), "Retry-After", "5");
}

// Keeps its slot until it ends, even if the client no longer waits.
Task<Reply> ReportApi::evaluate(ReportApi* self, Form form, Wanted wanted, Request request,
                                std::shared_ptr<QuestionBody> body, UserLimits::Slot slot) {
  const auto until = self->clock_.now() + kThreadWithin;
  auto& asker = self->sources_.asker;
  auto ns = body->ns;
  const std::function<Read()> reading = [body] { return read_question_body(*body); };
  const auto turn = co_await asker.run<Read>(ns, reading, until);
  if (!turn) co_return no_thread();
  const auto& read = *turn;
  if (!read) co_return status_reply(400, read.error().message);
  auto question = *read;
  if (!question->subject && !question->search) {
    auto with_subject = co_await refer(self, request, question, until);
    if (!with_subject) co_return std::move(with_subject.error());
    question = std::move(*with_subject);
  }
  if (wanted.all_namespaces && (!question->changes.empty() || question->search))
    question = co_await see_drained(self, std::move(request), std::move(question), until);
  const std::function<Reply(explain::ReportStatus)> finish =
      [form, question, with_words = wanted.words](explain::ReportStatus status) {
        return question_reply(form, *question, status, with_words);
      };
  auto reply = co_await asker.ask<Reply>(question, finish, until);
  slot.reset();
  co_return reply;
}

// Adds the pod or workload of the cluster that the question names, if the user may read it.
Task<ReportApi::Referred> ReportApi::refer(ReportApi* self, Request request, QuestionPtr question,
                                           Steady until) {
  const auto& maker = explain::referred(*question).maker;
  server::Attributes what;
  what.verb = "get";
  what.ns = question->meta.namespace_;
  what.group = maker.group;
  what.version = maker.version;
  what.resource = maker.plural;
  auto admission = co_await self->admit_(std::move(request), std::move(what));
  if (admission.refusal) co_return std::unexpected(std::move(*admission.refusal));
  auto& asker = self->sources_.asker;
  auto text = co_await asker.reference(question);
  if (!text) co_return std::unexpected(unavailable("the API server does not answer: " + text.error().text()));
  if (!*text) co_return std::unexpected(status_reply(404, explain::not_found(*question).text()));
  const std::function<Read()> reading = [question, json = std::move(**text)]() -> Read {
    auto out = std::make_shared<explain::Question>(*question);
    if (auto read = explain::read_subject(json, *out); !read) return std::unexpected(read.error());
    return QuestionPtr(std::move(out));
  };
  auto read = co_await asker.run<Read>(question->meta.namespace_, reading, until);
  if (!read) co_return std::unexpected(no_thread());
  if (!*read) co_return std::unexpected(status_reply(400, read->error().message));
  co_return std::move(**read);
}

// Adds the other namespaces whose pods the answer may name. They are of a snapshot before that of the answer,
// which names no pod of a namespace that is new by then.
Task<QuestionPtr> ReportApi::see_drained(ReportApi* self, Request request, QuestionPtr question,
                                         Steady until) {
  const auto snapshot = std::make_shared<const cluster::Snapshot>(co_await self->sources_.asker.snapshot());
  const std::function<Names()> finding = [question, snapshot] {
    return explain::namespaces_drained(*question, *snapshot);
  };
  const auto found = co_await self->sources_.asker.run<Names>(question->meta.namespace_, finding, until);
  if (!found || found->empty()) co_return question;
  auto seen = std::make_shared<explain::Question>(*question);
  const bool sees_all = co_await may_ask(self, request, "list", "");
  for (std::size_t i = 0; i < found->size(); ++i) {
    const auto& ns = (*found)[i];
    bool sees = sees_all;
    if (!sees && i < kMostReviewed) sees = co_await may_ask(self, request, "list", ns);
    if (sees) seen->seen_namespaces.insert(ns);
  }
  co_return seen;
}

// Whether the user may ask in this namespace ("": in all), and get or list the pods there.
Task<bool> ReportApi::may_ask(ReportApi* self, Request request, const char* verb, std::string ns) {
  auto asking = create_of_reports(ns);
  const auto may_ask = co_await self->admit_(request, std::move(asking));
  if (may_ask.refusal) co_return false;
  auto pods = of_pods(verb, std::move(ns));
  const auto may_see = co_await self->admit_(std::move(request), std::move(pods));
  co_return !may_see.refusal;
}

// As random as the API server's, because the UID decides between nodes of equal score.
std::string ReportApi::new_uid() {
  const auto high = random_.next();
  return uid_of(high, random_.next());
}

}  // namespace podium::app::report_api
