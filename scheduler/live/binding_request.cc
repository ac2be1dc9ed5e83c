#include "scheduler/live/binding_request.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "api/decode/decode.h"
#include "api/values/pod.h"
#include "async/nap.h"
#include "base/backoff.h"
#include "client/request_errors.h"
#include "log/log.h"
#include "scheduler/live/doubt.h"

namespace podium::live {
namespace {

constexpr Backoff kDoubtPauses{std::chrono::milliseconds(100), std::chrono::seconds(30)};
// A lease renewal may be in flight when the right to write has just ended.
constexpr std::chrono::milliseconds kRenewalPause{1'000};

// The result of a binding, as far as the pod's state shows it.
struct Seen {
  std::optional<cycle::BindOutcome>
      outcome;             // nullopt: undecided, the pod is still pending or could not be read
  bool readable = false;   // the pod was read
  bool forbidden = false;  // podium may not read it
};

Seen judge(const api::Pod& live, const api::Pod& pod, const std::string& node, const Error& refusal) {
  if (live.meta.uid != pod.meta.uid)
    return {cycle::BindOutcome{cycle::BindEnd::elsewhere, "the pod was replaced by another of its name",
                               live.meta.resource_version},
            true};
  if (live.node_name == node) return {cycle::BindOutcome{cycle::BindEnd::bound, {}}, true};
  if (!live.node_name.empty())
    return {cycle::BindOutcome{cycle::BindEnd::elsewhere, "the pod was placed on " + live.node_name,
                               live.meta.resource_version},
            true};
  if (live.terminating()) return {cycle::BindOutcome{cycle::BindEnd::rejected, refusal.text()}, true};
  return {std::nullopt, true};
}

client::Task<Seen> look(client::Api& api, cluster::PodInfoPtr pod, std::string node, Error refusal) {
  const auto read = co_await read_pod(api, pod);
  Seen seen;
  if (read.pod) {
    seen = judge(*read.pod->pod, *pod->pod, node, refusal);
  } else if (read.end == cycle::PodRead::End::gone) {
    seen.outcome = cycle::BindOutcome{cycle::BindEnd::elsewhere, "the pod is gone"};
  } else {
    seen.forbidden = read.error && client::is_forbidden(*read.error);
  }
  co_return seen;
}

cycle::BindOutcome rejected(const BindingRequest& request, const Error& error, LogLimit& log, Steady now) {
  if (log.allows(fmt::format("refused {} {} {}", static_cast<int>(error.kind), error.status.code,
                             error.status.reason),
                 now)) {
    log::warn("binding refused verb={} resource={} pod={} node={} code={} error={:?}", error.request.verb,
              error.request.resource, request.pod->pod->full_name(), request.node, error.status.code,
              error.text());
  }
  return {cycle::BindEnd::rejected, error.text()};
}

}  // namespace

client::Task<cycle::PodRead> read_pod(client::Api& api, cluster::PodInfoPtr pod) {
  const auto& meta = pod->pod->meta;
  auto live = co_await api.get(client::resource::pods, meta.namespace_, meta.name);
  cycle::PodRead read;
  if (!live) {
    read.end = client::object_is_gone(live.error()) ? cycle::PodRead::End::gone : cycle::PodRead::End::failed;
    read.error = std::move(live.error());
  } else if (auto decoded = api::decode_pod(*live)) {
    read.end = cycle::PodRead::End::found;
    read.pod = cluster::make_pod_info(std::make_shared<const api::Pod>(std::move(*decoded)), pod->rules);
  }
  co_return read;
}

client::Task<cycle::BindOutcome> carry_out(client::Api& api, BindingRequest request, Result<void> sent,
                                           LogLimit& log) {
  std::optional<Steady> unanswered, first_unanswered;  // end of the last and the first request in doubt
  bool lost = false;                                   // the previous try had no right to write
  for (unsigned failures = 1;; ++failures) {
    if (sent) co_return cycle::BindOutcome{cycle::BindEnd::bound, {}};
    const Error error = std::move(sent.error());
    const auto now = api.clock().now();
    auto wait = kDoubtPauses.after(failures, api.random().unit());
    if (error.maybe_applied && !unanswered) {
      if (request.in_doubt) request.in_doubt();
      first_unanswered = unanswered = now;
    } else if (client::is_cancelled(error)) {
      if (!unanswered) co_return cycle::BindOutcome{cycle::BindEnd::not_sent, error.text()};
      if (lost || !client::is_not_leader(error))
        co_return cycle::BindOutcome{cycle::BindEnd::unknown, error.text()};
      wait = kRenewalPause;
    } else if (client::is_answer(error) || (unanswered && error.maybe_applied)) {
      // A proxy may have sent the binding twice, and the refusal may be of the second one. A pod that the
      // answer calls gone may exist, and would never be tried again. Reads the pod.
      if (error.maybe_applied) unanswered = now;
      auto seen = co_await look(api, request.pod, request.node, error);
      if (seen.outcome) co_return std::move(*seen.outcome);
      if (seen.forbidden && client::object_is_gone(error))
        co_return cycle::BindOutcome{cycle::BindEnd::elsewhere, "the pod is gone"};
      if (!seen.readable && !seen.forbidden && !unanswered) {
        if (request.in_doubt) request.in_doubt();
        first_unanswered = unanswered = now;
      }
      const bool counts = !unanswered || (seen.readable && now - *unanswered >= kLongestDoubt);
      if (counts) co_return rejected(request, error, log, now);
    } else if (!unanswered) {
      co_return rejected(request, error, log, now);
    }
    lost = client::is_not_leader(error);
    if (now > *first_unanswered && log.allows("in doubt", now)) {
      log::warn("binding in doubt, retrying pod={} node={} seconds={} error={:?}",
                request.pod->pod->full_name(), request.node,
                std::chrono::duration_cast<std::chrono::seconds>(now - *first_unanswered).count(),
                error.text());
    }
    co_await async::nap(wait);
    sent = co_await request.send();
  }
}

}  // namespace podium::live
