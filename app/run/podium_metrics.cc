#include "app/run/podium_metrics.h"

#include <string_view>

#include "base/version.h"
#include "client/request_info.h"

namespace podium::app::run {
namespace {

using prometheus::Counter;
using prometheus::Gauge;
using prometheus::Registry;
using Labels = std::vector<std::string>;

const prometheus::Histogram::BucketBoundaries kWhatIfSeconds{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
                                                             1,     2.5,  5,     10,   30,  60};

prometheus::Family<Counter>& counter_family(Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}
prometheus::Family<Gauge>& gauge_family(Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

// Counters only grow; `total` is the part's own count.
void count_up(Counter& counter, std::uint64_t total) {
  counter.Increment(static_cast<double>(total) - counter.Value());
}

void set_gauge(Gauge& gauge, std::size_t value) { gauge.Set(static_cast<double>(value)); }

// Status codes that are part of normal work: an object is gone, there already, or was changed by another.
bool is_expected(int status) { return status == 404 || status == 409 || status == 410; }

}  // namespace

PodiumMetrics::PodiumMetrics(Registry& registry)
    : failures_(counter_family(registry, "podium_api_request_failures_total",
                               "Requests to the API server that failed, by verb, resource and status code "
                               "(none: no reply); without 404, 409 and 410, which are part of normal work."),
                Labels{"verb", "resource", "code"}),
      reports_written_(counter_family(registry, "podium_reports_written_total",
                                      "Reports that the API server accepted, rewritten ones included.")
                           .Add({})),
      reports_unchanged_(counter_family(registry, "podium_reports_unchanged_total",
                                        "Reports that were not rewritten because nothing had changed.")
                             .Add({})),
      reports_failed_(counter_family(registry, "podium_reports_failed_total",
                                     "Reports that the API server refused and that are not tried again.")
                          .Add({})),
      reports_dropped_(counter_family(registry, "podium_reports_dropped_total",
                                      "Reports that were never written: the queue was full, they waited "
                                      "longer than their TTL, or podium stopped.")
                           .Add({})),
      reports_retried_(counter_family(registry, "podium_reports_retried_total",
                                      "Failed writes of reports that are tried again.")
                           .Add({})),
      events_written_(
          counter_family(registry, "podium_events_written_total", "Events created or updated.").Add({})),
      events_dropped_(counter_family(registry, "podium_events_dropped_total",
                                     "Events that were never written: the queue was full, the API server "
                                     "refused them, or podium stopped.")
                          .Add({})),
      statuses_written_(counter_family(registry, "podium_pod_statuses_written_total",
                                       "PodScheduled conditions and nominations written.")
                            .Add({})),
      statuses_failed_(counter_family(registry, "podium_pod_statuses_failed_total",
                                      "Conditions and nominations that the API server refused for good.")
                           .Add({})),
      statuses_dropped_(counter_family(registry, "podium_pod_statuses_dropped_total",
                                       "Conditions and nominations that were never written: the queue was "
                                       "full, they failed for too long, or podium stopped.")
                            .Add({})),
      undecodable_(counter_family(registry, "podium_undecodable_objects_total",
                                  "Objects of the API server that could not be decoded.")
                       .Add({})),
      reports_pending_(
          gauge_family(registry, "podium_reports_pending", "Reports that wait to be written.").Add({})),
      reports_overdue_(gauge_family(registry, "podium_reports_overdue_seconds",
                                    "How far the oldest report is past the time of its deletion.")
                           .Add({})),
      events_pending_(
          gauge_family(registry, "podium_events_pending", "Events that wait to be written.").Add({})),
      statuses_pending_(gauge_family(registry, "podium_pod_statuses_pending",
                                     "Conditions and nominations that wait to be written.")
                            .Add({})),
      what_ifs_pending_(
          gauge_family(registry, "podium_what_ifs_pending", "What-ifs that wait for an answer.").Add({})),
      remembered_(gauge_family(registry, "podium_decisions_remembered",
                               "Decisions that are kept in memory for the HTTPS API.")
                      .Add({})),
      remembered_bytes_(gauge_family(registry, "podium_decisions_remembered_bytes",
                                     "Memory that these decisions take, about.")
                            .Add({})),
      reports_deleted_(counter_family(registry, "podium_reports_deleted_total",
                                      "Reports deleted, by reason: expired, or limit (before their time, "
                                      "because of the budgets of reports)."),
                       Labels{"reason"}),
      what_ifs_answered_(counter_family(registry, "podium_what_ifs_answered_total",
                                        "What-ifs whose answer was written, by outcome."),
                         Labels{"outcome"}),
      what_ifs_refused_(counter_family(registry, "podium_what_ifs_refused_total",
                                       "What-ifs that were not evaluated, by the reason of their condition "
                                       "Accepted=False."),
                        Labels{"reason"}),
      log_dropped_(counter_family(registry, "podium_log_lines_dropped_total",
                                  "Log lines left out, by reason: limit (lines of one message above the "
                                  "limit), queue (the log's reader is too slow)."),
                   Labels{"reason"}),
      api_replies_(counter_family(registry, "podium_http_api_requests_total",
                                  "Requests to the HTTPS API, by path and status code of the reply."),
                   Labels{"path", "code"}),
      reports_stored_(gauge_family(registry, "podium_reports_stored",
                                   "Reports in the API server, as far as podium knows them, by kind."),
                      Labels{"kind"}),
      reports_stored_bytes_(gauge_family(registry, "podium_reports_stored_bytes",
                                         "Bytes of these, as podium counts them, by kind."),
                            Labels{"kind"}),
      watches_failing_(gauge_family(registry, "podium_watches_failing",
                                    "1 for a kind that cannot be listed or watched now, else 0."),
                       Labels{"resource"}),
      what_if_seconds_(prometheus::BuildHistogram()
                           .Name("podium_what_if_duration_seconds")
                           .Help("From the moment podium sees a what-if until its answer is written.")
                           .Register(registry)
                           .Add({}, kWhatIfSeconds)),
      renewal_age_(gauge_family(registry, "podium_lease_renewal_age_seconds",
                                "Time since the lease was last renewed; absent while this process does not "
                                "lead.")),
      crd_ready_(gauge_family(registry, "podium_report_crd_ready",
                              "1 if the CustomResourceDefinition of SchedulingReports has all that podium "
                              "writes, 0 if it is missing or lacks something.")),
      fitting_(gauge_family(registry, "podium_what_if_fitting",
                            "How many replicas of a what-if with spec.refreshSeconds fit now.")) {
  gauge_family(registry, "podium_build_info", "1, with the versions of podium and of its reference.")
      .Add({{"version", std::string(kVersion)}, {"kubernetes_version", std::string(kKubernetesVersion)}})
      .Set(1);
  // Series that exist from the start, so that the first increment is seen by rate().
  for (const std::string_view reason : {"expired", "limit"}) reports_deleted_.with(reason);
  for (const std::string_view outcome : {"Fits", "PartlyFits", "DoesNotFit"})
    what_ifs_answered_.with(outcome);
  for (const std::string_view reason : {"Invalid", explain::kTooManyQuestions, explain::kTooManyRefreshed,
                                        explain::kDeadlineExceeded, explain::kAnswerNotTaken})
    what_ifs_refused_.with(reason);
}

void PodiumMetrics::set(const State& state) {
  const auto& reports = state.reports;
  count_up(reports_written_, reports.written);
  count_up(reports_unchanged_, reports.unchanged);
  count_up(reports_failed_, reports.failed);
  count_up(reports_dropped_, reports.dropped);
  count_up(reports_retried_, reports.retried);
  count_up(events_written_, state.events_written);
  count_up(events_dropped_, state.events_dropped);
  count_up(statuses_written_, state.pod_statuses.done);
  count_up(statuses_failed_, state.pod_statuses.failed);
  count_up(statuses_dropped_, state.pod_statuses.dropped);
  count_up(undecodable_, state.undecodable);
  count_up(reports_deleted_.with(std::string_view("expired")), state.deleted - state.deleted_early);
  count_up(reports_deleted_.with(std::string_view("limit")), state.deleted_early);
  count_up(log_dropped_.with(std::string_view("limit")), state.log.limited);
  count_up(log_dropped_.with(std::string_view("queue")), state.log.overrun);
  set_gauge(reports_pending_, reports.waiting);
  set_gauge(events_pending_, state.events_waiting);
  set_gauge(statuses_pending_, state.pod_statuses.waiting);
  set_gauge(what_ifs_pending_, state.what_ifs_waiting);
  set_gauge(remembered_, state.remembered.decisions);
  set_gauge(remembered_bytes_, state.remembered.bytes);
  set_gauge(reports_stored_.with(std::string_view("decision")), state.stored_decisions);
  set_gauge(reports_stored_.with(std::string_view("what_if")), state.stored_what_ifs);
  set_gauge(reports_stored_bytes_.with(std::string_view("decision")), state.stored_decision_bytes);
  set_gauge(reports_stored_bytes_.with(std::string_view("what_if")), state.stored_what_if_bytes);
  reports_overdue_.Set(in_seconds(state.overdue));
  for (const auto& [resource, works] : state.watches) watches_failing_.with(resource).Set(works ? 0 : 1);
  auto& age = renewal_age_.Add({});
  if (state.since_renewal) {
    age.Set(in_seconds(*state.since_renewal));
  } else {
    renewal_age_.Remove(&age);
  }
  if (state.crd_ready) crd_ready_.Add({}).Set(*state.crd_ready ? 1 : 0);
  set_fitting(state.fitting);
}

// Series of what-ifs that are gone end.
void PodiumMetrics::set_fitting(const std::vector<controller::Refreshes::Fitting>& fitting) {
  auto gone = std::exchange(fittings_, {});
  for (const auto& [ns, name, replicas] : fitting) {
    auto& gauge = fitting_.Add({{"namespace", ns}, {"name", name}});
    set_gauge(gauge, replicas);
    gone.erase({ns, name});
    fittings_.emplace(std::pair(ns, name), &gauge);
  }
  for (const auto& [key, gauge] : gone) fitting_.Remove(gauge);
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
