#include "simulate/observers/report_observer.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <tuple>
#include <utility>

#include "base/time.h"
#include "simulate/cluster/cluster.h"
#include "simulate/protocol/route.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;

// Clocks drift by a twentieth: a TTL of 150 s may end earlier by that.
constexpr auto kTooLate = 60s, kTooEarly = 10s, kReportIn = 20s;

// After a takeover a pod may have a second report, if another pod's report had its name: the newest decision
// counts. The status of an older one may be written later (410530). A late creation leaves one without a
// status until its TTL: it counts if it is the only one.
auto rank(const json::value& report) {
  const auto decided = text_at(report, "/status/snapshot/resourceVersion");
  const auto version = std::stoll(text_at(report, "/metadata/resourceVersion"));
  return std::tuple(find_at(report, "/status") != nullptr, decided.empty() ? 0 : std::stoll(decided),
                    version);
}

bool same_status(const json::value& a, const json::value& b) {
  const auto *left = find_at(a, "/status"), *right = find_at(b, "/status");
  return left && right ? *left == *right : left == right;
}

}  // namespace

bool stays(const Key& key) {
  return key.plural == "schedulingreports" && key.ns == "batch" && key.name.starts_with("p1");
}

// A what-if's TTL runs from its answer on, however long that waits to be written. The what-if is read right
// before it is answered.
void ReportObserver::sent(const client::Request& request) {
  if (request.target.find("/schedulingreports/") == std::string::npos) return;
  const auto route = parse_route(request.target);
  if (!route) return;
  const auto key = route->key().text();
  if (request.method == "GET") read_.try_emplace(key, agenda_.now());
  if (request.method != "PATCH") return;
  if (const auto there = store_.find(route->key()); there && !is_what_if(there->value)) return;
  boost::system::error_code failure;
  const auto body = json::parse(request.body, failure);
  if (failure || !body.is_array() || body.get_array().empty()) return;  // not a JSON patch
  const auto decided = text_at(body.get_array().back(), "/value/decidedAt");
  const auto read = read_.find(key);
  if (!decided.empty() && read != read_.end()) answered_.try_emplace(key + decided, read->second);
}

void ReportObserver::answered(const Host& host, const client::Request& request,
                              const client::Response& reply) {
  const bool writes = request.method == "POST" || request.method == "PATCH";
  if (!writes || reply.status >= 300 || request.target.find("/schedulingreports") == std::string::npos)
    return;
  boost::system::error_code failure;
  const auto report = json::parse(reply.body, failure);
  if (!failure) knows_[uid_of(report)] = host.identity;
}

std::optional<std::string> ReportObserver::committed(const Commit& commit, Steady sent_at) {
  if (commit.by == kHands) {
    touched_.insert(uid_of(commit.after->value));
    touched_pods_.insert(text_at(commit.after->value, "/spec/podRef/uid"));
  }
  if (!is_engine(commit.by)) {
    read_.erase(commit.key.text());
    return std::nullopt;
  }
  return commit.type == Commit::Type::deleted ? deleted(commit) : written(commit, sent_at);
}

std::optional<std::string> ReportObserver::written(const Commit& commit, Steady sent_at) {
  last_written_ = agenda_.now();
  const auto& report = commit.after->value;
  const auto uid = uid_of(report);
  const auto answered = answered_.find(commit.key.text() + text_at(report, "/status/decidedAt"));
  if (is_what_if(report) && answered == answered_.end())
    return std::nullopt;  // its labels come before its answer
  auto& written = written_[uid];
  // A report's TTL counts from its last write, regardless of the delay and of the sender of that write.
  written = std::max(written, is_what_if(report) ? answered->second : agenda_.now());
  writers_[uid] = commit.by;
  if (!find_at(report, "/status")) return std::nullopt;
  if (commit.before && same_status(commit.before->value, report)) return std::nullopt;
  auto& filled = filled_[uid];
  if (sent_at < filled && !touched_.contains(uid))
    return fmt::format("{}: a late request changes {}", commit.by, commit.key.text());
  filled = sent_at;
  return std::nullopt;
}

std::optional<std::string> ReportObserver::deleted(const Commit& commit) const {
  const auto& report = commit.after->value;
  const auto uid = uid_of(report);
  const auto written = written_.find(uid);
  if (touched_.contains(uid) || written == written_.end()) return std::nullopt;
  if (agenda_.now() - written->second >= ttl_ - kTooEarly) return std::nullopt;
  if (!is_what_if(report)) {
    // The next pod of a name replaces the report of its deleted predecessor.
    const auto there = store_.find({"pods", commit.key.ns, text_at(report, "/spec/podRef/name")});
    if (!there || uid_of(there->value) != text_at(report, "/spec/podRef/uid")) return std::nullopt;
  }
  return fmt::format("{} deleted {} before its TTL", commit.by, commit.key.text());
}

// --- at rest ---

std::optional<std::string> ReportObserver::unanswered() const {
  for (const auto& report : store_.all("schedulingreports")) {
    if (!is_what_if(report->value)) continue;
    const auto asked = number_at(report->value, "/metadata/generation");
    if (number_at(report->value, "/status/observedGeneration") == asked) continue;
    return fmt::format("{} is not answered", full_name(report->value));
  }
  return std::nullopt;
}

std::map<std::string, StoredPtr> ReportObserver::of_pods() const {
  std::map<std::string, StoredPtr> out;
  for (const auto& report : store_.all("schedulingreports")) {
    if (is_what_if(report->value)) continue;
    auto& last = out[text_at(report->value, "/spec/podRef/uid")];
    if (!last || rank(last->value) < rank(report->value)) last = report;
  }
  return out;
}

// A report that names another node is wrong in any case. A missing or stale one is excused if its TTL has
// passed, if the engine that bound the pod ended without writing it, and if the namespace refuses reports.
std::optional<std::string> ReportObserver::unwritten(const Bindings& bindings, bool lease_was_deleted,
                                                     std::uint64_t& excused) const {
  const auto reports = of_pods();
  for (const auto& pod : store_.all("pods")) {
    const auto uid = uid_of(pod->value);
    const auto bound = bindings.find(uid);
    if (bound == bindings.end() || touched_pods_.contains(uid)) continue;
    const auto& [node, by, at, late] = bound->second;
    const auto age = agenda_.now() - at;
    const bool may_lack = forgetful_.contains(by) || age < kReportIn || age > ttl_ - kReportIn;
    const auto report = reports.find(uid);
    if (report == reports.end()) {
      if (may_lack || text_at(pod->value, "/metadata/namespace") == "full") continue;
      return fmt::format("{} was bound and has no report", full_name(pod->value));
    }
    const auto& answered = report->second->value;
    const auto outcome = text_at(answered, "/status/outcome"),
               chosen = text_at(answered, "/status/choice/nodeName");
    if (outcome == "Scheduled" ? chosen == node : may_lack) continue;
    const auto writer = writers_.find(uid_of(answered));
    if (lease_was_deleted && (writer == writers_.end() || writer->second != by)) {
      ++excused;
      continue;
    }
    return fmt::format("{} is on {}; its report says {} {}", full_name(pod->value), node, outcome, chosen);
  }
  return std::nullopt;
}

// The API server notes the time of a write in whole seconds.
Steady ReportObserver::all_too_old() const { return last_written_ + ttl_ + kTooLate + 1s; }

std::optional<std::string> ReportObserver::kept() const {
  for (const auto& report : store_.all("schedulingreports")) {
    if (is_expired(*report)) return age_text(*report);
  }
  return std::nullopt;
}

std::optional<std::string> ReportObserver::kept_by(const std::string& engine) const {
  for (const auto& report : store_.all("schedulingreports")) {
    const auto known = knows_.find(uid_of(report->value));
    if (known != knows_.end() && known->second == engine && is_expired(*report)) return age_text(*report);
  }
  return std::nullopt;
}

bool ReportObserver::is_expired(const Stored& report) const {
  const Key key{"schedulingreports", text_at(report.value, "/metadata/namespace"),
                text_at(report.value, "/metadata/name")};
  if (touched_.contains(uid_of(report.value)) || (keeps_some_ && stays(key))) return false;
  const auto written = parse_time(text_at(report.value, "/metadata/managedFields/0/time"));
  return written && agenda_.clock().wall() - *written > ttl_ + kTooLate;
}

std::string ReportObserver::age_text(const Stored& report) const {
  const auto age =
      agenda_.clock().wall() - *parse_time(text_at(report.value, "/metadata/managedFields/0/time"));
  return fmt::format("{} is there {} s after it was written", full_name(report.value),
                     std::chrono::duration_cast<std::chrono::seconds>(age).count());
}

}  // namespace podium::simulate
