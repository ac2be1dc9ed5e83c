#include "app/report_api/questions.h"

#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "app/report_api/api_limits.h"
#include "app/report_api/refusals.h"
#include "app/report_api/replies.h"
#include "async/within.h"
#include "controller/what_if/asker.h"
#include "explain/answer/changes.h"
#include "explain/question/question.h"
#include "server/status.h"

namespace podium::app::report_api {
namespace {

namespace json = boost::json;
using async::Task;
using server::Reply;
using server::Request;
using server::status_reply;
using server::UserLimits;
using Read = Result<QuestionPtr>;
using Names = std::vector<std::string>;

// Removes the flag, which is not a field of spec.
bool take_flag(json::object& parameters, std::string_view name) {
  const auto* value = parameters.if_contains(name);
  const bool is_set = value && value->as_bool();
  parameters.erase(name);
  return is_set;
}

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

Questions::Questions(Parts parts)
    : parts_(std::move(parts)),
      of_user_(kQuestions),
      of_namespace_(kQuestionsOfNamespace),
      bodies_of_user_(kBodiesOfUser),
      bodies_of_namespace_(kBodiesOfNamespace) {}

Task<Reply> Questions::answer(Questions* self, AskedOverHttps asked, Request request) {
  const auto& parts = self->parts_;
  if (!parts.are_answered) co_return status_reply(404, "what-ifs are switched off: whatIf.enabled");
  const auto missing = parts.not_synced();
  if (!missing.empty()) co_return not_synced(missing);
  if (parts.asker.stopped()) co_return stopping();
  auto fields = read_parameters(request.query, question_parameters());
  if (!fields) co_return status_reply(400, fields.error().message);
  const auto type = content_type_of(request.content_type);
  if (!type) {
    co_return status_reply(415, fmt::format("Content-Type {:?} is not supported (supported: {})",
                                            request.content_type, kContentTypes));
  }
  auto text = co_await read_body(self, &asked, &request);
  if (!text) co_return std::move(text.error());
  // Taken when the body is complete, so that slow senders hold none.
  auto slot = self->of_user_.admit(asked.user, parts.clock.now());
  if (!slot.slot) co_return too_many(slot);
  auto of_namespace = self->of_namespace_.take(asked.ns);
  if (!of_namespace) co_return too_many_in_progress("this namespace");
  auto slots = std::make_shared<std::pair<UserLimits::Slot, Shares::Slot>>(std::move(slot.slot),
                                                                           std::move(of_namespace));
  auto body = std::make_shared<QuestionBody>();
  body->text = std::move(*text);
  body->type = *type;
  body->ns = asked.ns;
  const auto* seed = fields->if_contains(kSeed);
  body->uid = seed ? uid_of(seed->as_string()) : self->new_uid();
  fields->erase(kSeed);
  body->withholds_node_names = asked.withholds_node_names;
  const bool with_words = take_flag(*fields, kWords), sees_all = take_flag(*fields, kAllNamespaces);
  body->fields = std::move(*fields);
  auto evaluation = evaluate(self, asked.form, {with_words, sees_all}, std::move(request), std::move(body),
                             std::move(slots));
  auto reply =
      co_await async::within<Reply>(parts.gate, "HTTPS what-if", std::move(evaluation), kAnswerWithin);
  if (reply) co_return std::move(*reply);
  co_return with_header(status_reply(504, "the answer took too long"), "Retry-After", "5");
}

Task<Questions::Body> Questions::read_body(Questions* self, const AskedOverHttps* asked, Request* request) {
  const auto of_user = self->bodies_of_user_.take(asked->user);
  const auto of_namespace = self->bodies_of_namespace_.take(asked->ns);
  if (!of_user || !of_namespace)
    co_return std::unexpected(too_many_in_progress(of_user ? "this namespace" : "yours"));
  auto text = co_await request->read_body(kBodyBytes);
  if (text) co_return std::move(*text);
  auto& error = text.error();
  if (error.status.code == 503) co_return std::unexpected(unavailable(std::move(error.message)));
  const int code = error.status.code == 413 ? 413 : 408;
  co_return std::unexpected(status_reply(code, error.message));
}

// Keeps its slot until it ends, even if the client no longer waits.
Task<Reply> Questions::evaluate(Questions* self, Form form, Flags flags, Request request,
                                std::shared_ptr<QuestionBody> body, UserLimits::Slot slot) {
  const auto until = self->parts_.clock.now() + kThreadWithin;
  auto& asker = self->parts_.asker;
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
  if (flags.all_namespaces && (!question->changes.empty() || question->search))
    question = co_await see_drained(self, std::move(request), std::move(question), until);
  const std::function<Reply(explain::ReportStatus)> finish =
      [form, question, with_words = flags.words](explain::ReportStatus status) {
        return question_reply(form, *question, status, with_words);
      };
  auto reply = co_await asker.ask<Reply>(question, finish, until);
  slot.reset();
  co_return reply;
}

// Adds the pod or workload of the cluster that the question names, if the user may read it.
Task<Questions::Referred> Questions::refer(Questions* self, Request request, QuestionPtr question,
                                           Steady until) {
  const auto& maker = explain::referred(*question).maker;
  server::Attributes what;
  what.verb = "get";
  what.ns = question->meta.namespace_;
  what.group = maker.group;
  what.version = maker.version;
  what.resource = maker.plural;
  auto admission = co_await self->parts_.admit(std::move(request), std::move(what));
  if (admission.refusal) co_return std::unexpected(std::move(*admission.refusal));
  auto& asker = self->parts_.asker;
  auto text = co_await asker.reference(question);
  if (!text) co_return std::unexpected(unavailable("the API server does not answer: " + text.error().text()));
  if (!*text) co_return std::unexpected(status_reply(404, explain::not_found(*question).text()));
  auto read = co_await asker.refer(question, std::move(**text), until);
  if (!read) co_return std::unexpected(no_thread());
  if (!*read) co_return std::unexpected(status_reply(400, read->error().message));
  co_return std::move(**read);
}

// Adds the other namespaces whose pods the answer may name. They are of a snapshot before that of the answer,
// which names no pod of a namespace that is new by then.
Task<QuestionPtr> Questions::see_drained(Questions* self, Request request, QuestionPtr question,
                                         Steady until) {
  const auto waiting = co_await controller::Asker::waiting_for(&self->parts_.asker, question);
  const auto snapshot = std::make_shared<const cluster::Snapshot>(co_await self->parts_.asker.snapshot());
  const std::function<Names()> finding = [question, snapshot, waiting] {
    return explain::namespaces_drained(*question, *snapshot, waiting);
  };
  const auto found = co_await self->parts_.asker.run<Names>(question->meta.namespace_, finding, until);
  if (!found || found->empty()) co_return question;
  auto seen = std::make_shared<explain::Question>(*question);
  const bool sees_all = co_await may_ask(&self->parts_.admit, request, "list", "");
  for (std::size_t i = 0; i < found->size(); ++i) {
    const auto& ns = (*found)[i];
    bool sees = sees_all;
    if (!sees && i < kMostReviewed) sees = co_await may_ask(&self->parts_.admit, request, "list", ns);
    if (sees) seen->seen_namespaces.insert(ns);
  }
  co_return seen;
}

// As random as the API server's, because the UID decides between nodes of equal score.
std::string Questions::new_uid() {
  const auto high = parts_.random.next();
  return uid_of(high, parts_.random.next());
}

}  // namespace podium::app::report_api
