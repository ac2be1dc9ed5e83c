// A what-if, from its text to the patch of its status.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <utility>

#include "api/text/parse_json.h"
#include "app/render/what_if.h"
#include "controller/what_if/answer_patch.h"
#include "explain/answer/answer.h"
#include "explain/question/question.h"
#include "explain/report/refusal.h"
#include "fuzz/driver/require.h"
#include "fuzz/fuzz_cluster.h"
#include "fuzz/fuzzers.h"
#include "fuzz/output_checks.h"
#include "scheduler/config/load.h"

namespace podium::fuzz {
namespace {

namespace json = boost::json;
using explain::ReportStatus;

constexpr int kDecisions = 60;              // of one answer, in place of its CPU time
constexpr std::size_t kPatch = 512 * 1024;  // bytes; an API server takes 3 MiB, etcd 1.5 MiB
constexpr std::string_view kNextText = "\n---\n";
constexpr Wall kNow{std::chrono::seconds(1'800'000'000)};

const config::Config& default_config() {
  static const auto loaded = config::load("", "default").value();
  return loaded;
}

struct Input {
  std::string_view report, subject;
};
Input split(std::string_view text) {
  const auto at = text.find(kNextText);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + kNextText.size())};
}

ReportStatus decide(const explain::Question& question) {
  int decisions = 0;
  const explain::Budget budget = [&decisions] { return ++decisions <= kDecisions; };
  const auto& before = small_cluster();
  const auto nodes = before.node_count(), pods = before.pod_total();
  const auto generation = before.generation();
  auto status = explain::answer(question, before, default_config(), budget);
  require(before.node_count() == nodes && before.pod_total() == pods && before.generation() == generation,
          "an answer does not change the cluster");
  return status;
}

// As WhatIfController does: the subject that the question refers to is read from the API server.
ReportStatus answer(Result<explain::Question>& question, std::string_view subject) {
  if (question && !question->subject) {
    const auto read = subject.empty() ? invalid((subject_path(*question) / "name").said("not found"))
                                      : explain::read_subject(subject, *question);
    if (!read) question = std::unexpected(read.error());
  }
  return question ? decide(*question) : explain::refusal(question.error());
}

void check_outcome(const ReportStatus& status) {
  const auto& outcome = status.outcome;
  require(outcome == "Fits" || outcome == "PartlyFits" || outcome == "DoesNotFit" || outcome == "Refused",
          "a what-if is answered or refused", outcome);
  require(status.conditions.size() == 2, "an answer has the conditions Accepted and Complete");
  require(status.conditions[0].is_true == (outcome != "Refused"), "Accepted says whether it is refused",
          outcome);
  if (outcome == "Refused") {
    require(!status.conditions[0].message.empty(), "a refusal says why");
    return;
  }
  require(status.answer.has_value(), "an answer has its parts");
  std::size_t placed = 0;
  for (const auto& each : status.answer->placements) placed += each.count;
  require(placed <= status.answer->fitting, "placements are of replicas that fit");
  require(status.answer->fitting <= status.answer->asked, "no more replicas fit than are asked for");
}

// What kubectl podium prints of it.
void check_text(const json::value& status) {
  const json::value object{{"metadata", {{"name", "ask"}, {"namespace", "shop"}}},
                           {"spec", {{"dryRun", true}}},
                           {"status", status}};
  const auto report = render::read_report(object);
  const auto text = render::what_if(report, "shop/ask", {.now = kNow, .program = "kubectl podium"});
  require(is_harmless(text), "a terminal obeys nothing of an answer", text);
  require(render::exit_code(report) >= 0 && render::exit_code(report) <= 4, "an answer has an exit code");
}

json::value without_nulls(const json::value& value) {
  if (!value.is_object()) return value;
  json::object out;
  for (const auto& [key, field] : value.get_object()) {
    if (!field.is_null()) out[key] = without_nulls(field);
  }
  return out;
}

bool refuses_a_change(const ReportStatus& status) {
  return std::ranges::any_of(status.findings,
                             [](const Finding& each) { return each.path.starts_with("spec.changes["); });
}

}  // namespace

void what_if(std::string_view input) {
  const auto [text, subject] = split(input);
  const auto report = explain::scan_report(text);
  if (!report) return;
  if (const auto watched = api::parse_json(text)) {
    const controller::Seen seen(*watched);
    require(seen.refresh.count() >= 0, "a period is not negative");
  }
  const auto asked = controller::asked_of(*report);
  const auto default_ttl = default_config().podium.reports.ttl;
  auto question = explain::read_question(*report, default_ttl);
  auto status = answer(question, subject);
  if (planted() && refuses_a_change(status)) status.conditions[0].message.clear();
  check_outcome(status);

  const controller::AnswerTerms terms{.ttl = question ? question->ttl : default_ttl,
                                      .refresh = question ? question->refresh : std::chrono::seconds(0)};
  // An API server stores UTF-8 only, and counts generations from 1 on.
  if (!is_utf8(input) || asked.generation < 0) return;
  const auto patch = controller::make_patch(asked, status, kNow, terms);
  const auto body = controller::patch_requests("shop", patch).back().body;
  require(body.size() <= kPatch, "an answer has a bounded size", std::to_string(body.size()));
  boost::system::error_code error;
  const auto parsed = json::parse(body, error);
  require(!error, "the patch is JSON", error.message());
  require(parsed.at_pointer("/0/path") == "/metadata/uid", "the UID is tested");
  const auto& last = parsed.as_array().back();
  require(last.at("path") == "/status", "the status comes after the tests");
  const auto stored = without_nulls(last.at("value"));
  require(schema_finding(stored, report_schema("status"), "status").empty(), "the CRD allows the answer",
          schema_finding(stored, report_schema("status"), "status"));
  check_text(stored);

  // The same question has the same answer: a refreshed one is written only if it has changed.
  if (question && body.size() % 4 == 0)
    require(controller::answer_hash(decide(*question)) == controller::answer_hash(status),
            "an answer depends on its question only");
}

}  // namespace podium::fuzz
