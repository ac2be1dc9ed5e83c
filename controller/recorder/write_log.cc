#include "controller/recorder/write_log.h"

#include <fmt/format.h>

#include <chrono>
#include <string_view>
#include <utility>

#include "client/request_errors.h"
#include "log/log.h"

namespace podium::controller {
namespace {

constexpr std::size_t kNamespacesLogged = 1'000;

std::string_view cause_of_pause(const Error& error) {
  if (client::is_not_leader(error)) return "this process does not hold the lease";
  if (client::is_unreachable(error)) return "the API server cannot be reached";
  if (client::is_not_found(error))
    return "the API server does not serve SchedulingReports (is the CRD installed?)";
  if (error.status.code == 401) return "the API server does not accept the credentials";
  return "the API server asks podium to retry later";
}

}  // namespace

void WriteLog::written(const std::string& ns) {
  if (std::exchange(is_paused_, false) && std::exchange(logged_pause_, false))
    log::info("report writes resumed");
  if (held_.erase(ns) > 0) log::info("report writes resumed namespace={}", ns);
}

void WriteLog::refused(const ReportOwner& owner, async::Outcome outcome, const Error& error, Steady now) {
  const auto& request = error.request;
  const auto cause = cause_of_pause(error);
  if (outcome == async::Outcome::retry_all && !std::exchange(is_paused_, true) &&
      limit_.allows(fmt::format("paused {}", cause), now)) {
    logged_pause_ = true;
    log::warn("reports are paused, scheduling continues: {} verb={} resource={} error={:?}", cause,
              request.verb, request.resource, error.text());
  }
  const bool is_new = outcome == async::Outcome::retry_namespace && held_.size() < kNamespacesLogged &&
                      !held_.contains(owner.ns) && limit_.allows("of " + owner.ns, now) &&
                      held_.insert(owner.ns).second;
  // A missing right is missing in all namespaces: log one line.
  if (outcome == async::Outcome::retry_namespace && client::lacks_right(error)) {
    if (limit_.allows(request.verb + " " + request.resource, now))
      log::warn("reports are refused, scheduling continues verb={} resource={} error={:?}", request.verb,
                request.resource, error.text());
  } else if (is_new) {
    log::warn(
        "reports of a namespace are refused, others continue namespace={} verb={} resource={} error={:?}",
        owner.ns, request.verb, request.resource, error.text());
  }
  if (outcome == async::Outcome::failed && limit_.allows(fmt::format("failed {}", error.status.code), now)) {
    log::warn("report not written verb={} resource={} pod={}/{} error={:?}", request.verb, request.resource,
              owner.ns, owner.pod, error.text());
  }
}

void WriteLog::no_room(const ReportOwner& owner, Steady now) {
  if (!limit_.allows("no room", now)) return;
  log::warn("report dropped: the budget is used up by reports that cannot be deleted pod={}/{}", owner.ns,
            owner.pod);
}

void WriteLog::without_labels(const Error& error, Steady now) {
  const auto& request = error.request;
  if (limit_.allows(request.verb + " " + request.resource, now))
    log::warn("cannot update report labels verb={} resource={} error={:?}", request.verb, request.resource,
              error.text());
}

}  // namespace podium::controller
