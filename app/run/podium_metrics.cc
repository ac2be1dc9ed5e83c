#include "app/run/podium_metrics.h"

#include <string_view>

#include "base/clock.h"
#include "base/version.h"
#include "client/request_info.h"
#include "explain/report/refusal.h"
#include "metrics/families.h"

namespace podium::app::run {
namespace {

const prometheus::Histogram::BucketBoundaries kWhatIfSeconds{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
                                                             1,     2.5,  5,     10,   30,  60};

// Status codes that are part of normal work: an object is gone, there already, or was changed by another.
bool is_expected(int status) { return status == 404 || status == 409 || status == 410; }

}  // namespace

PodiumMetrics::PodiumMetrics(prometheus::Registry& registry)
    : failures_(metrics::counters(registry, "podium_api_request_failures_total",
                                  "Failed requests to the API server, by status code, or `none` if there was "
                                  "no reply. Excludes 404, 409 and 410, which are normal. Verb and resource "
                                  "are named as in RBAC."),
                {"verb", "resource", "code"}),
      what_ifs_answered_(
          metrics::counters(registry, "podium_what_ifs_answered_total",
                            "What-ifs answered, by outcome: `Fits`, `PartlyFits`, `DoesNotFit`."),
          {"outcome"}),
      what_ifs_refused_(
          metrics::counters(registry, "podium_what_ifs_refused_total",
                            "What-ifs that were not evaluated, by the reason of their condition "
                            "`Accepted=False`: `Invalid`, `TooManyQuestions`, `TooManyRefreshed`, "
                            "`DeadlineExceeded`, `MemoryExceeded`, `AnswerNotTaken`."),
          {"reason"}),
      api_replies_(
          metrics::counters(registry, "podium_http_api_requests_total",
                            "Requests to the HTTPS API, by path (`…/{namespace}/…`) and status code. "
                            "Each replica counts its own."),
          {"path", "code"}),
      what_if_seconds_(metrics::histograms(registry, "podium_what_if_duration_seconds",
                                           "Time from the arrival of a what-if until its answer is written.")
                           .Add({}, kWhatIfSeconds)),
      decision_lines_(metrics::counters(registry, "podium_decision_log_lines_total",
                                        "Lines of `--decision-log`, by result: `written`, or `dropped`: the "
                                        "reader is too slow, or the file cannot be written.")),
      lines_written_(decision_lines_.Add({{"result", "written"}})),
      lines_dropped_(decision_lines_.Add({{"result", "dropped"}})) {
  metrics::gauges(registry, "podium_build_info",
                  "Always 1. The labels have podium's version, and the kube-scheduler version that "
                  "it is compatible with.")
      .Add({{"version", std::string(kVersion)}, {"kubernetes_version", std::string(kKubernetesVersion)}})
      .Set(1);
  // Series that exist from the start, so that the first increment is seen by rate().
  for (const std::string_view outcome : {"Fits", "PartlyFits", "DoesNotFit"})
    what_ifs_answered_.with(outcome);
  for (const std::string_view reason : explain::kRefusalReasons) what_ifs_refused_.with(reason);
}

void PodiumMetrics::decision_line(bool was_written) {
  (was_written ? lines_written_ : lines_dropped_).Increment();
}

void PodiumMetrics::request(const client::Exchange& exchange) {
  if ((exchange.status != 0 && exchange.status < 400) || is_expected(exchange.status)) return;
  const auto info = client::request_info(exchange.method, exchange.target);
  const auto code = exchange.status == 0 ? std::string("none") : std::to_string(exchange.status);
  const std::lock_guard lock(mutex_);
  failures_.with(info.verb, info.resource, code).Increment();
}

void PodiumMetrics::api_reply(const std::string& path, int code) {
  api_replies_.with(path, std::to_string(code)).Increment();
}

void PodiumMetrics::what_if_ended(const controller::WhatIfEnd& end) {
  (end.refused ? what_ifs_refused_ : what_ifs_answered_).with(end.result).Increment();
  what_if_seconds_.Observe(in_seconds(end.duration));
}

}  // namespace podium::app::run
