#include "app/kubectl/last_decisions.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "api/text/json_view.h"
#include "explain/report/report_labels.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

// How much older the decision of a report may be than that of the next one in the order of writing.
constexpr std::chrono::minutes kWrittenWithin{5};

// The label moves on with each write, by the minute.
std::pair<std::string, std::string> written(const json::value& object) {
  return {explain::label_at(object, explain::kExpiresLabel),
          api::text_at(object, "/metadata/creationTimestamp")};
}

}  // namespace

LastDecisions::LastDecisions(Cluster& cluster, std::string ns, LastDecisionsOptions options)
    : cluster_(cluster), ns_(std::move(ns)), options_(std::move(options)) {}

bool LastDecisions::is_recent(const render::Report& report, std::chrono::seconds more) const {
  const auto& decided = report.status.decided_at;
  return !options_.not_before || !decided || *decided >= *options_.not_before - more;
}

Result<std::vector<LastDecision>> LastDecisions::read() {
  client::ListOptions names;
  names.label_selector = explain::decisions_selector(options_.outcome);
  names.metadata_only = true;
  auto listed = cluster_.list(client::resource::scheduling_reports, ns_, names);
  if (!listed) return std::unexpected(std::move(listed.error()));
  std::erase_if(*listed, [&](const json::value& object) {
    return !api::text_at(object, "/metadata/name").starts_with(options_.prefix);
  });
  const auto most = static_cast<std::ptrdiff_t>(std::min(listed->size(), options_.most));
  std::ranges::partial_sort(*listed, listed->begin() + most, std::greater(), written);
  is_cut_ = listed->size() > static_cast<std::size_t>(most);
  std::map<std::string, LastDecision> seen;
  std::vector<LastDecision> out;
  for (auto object = listed->begin(); object != listed->begin() + most; ++object) {
    const auto version =
        api::text_at(*object, "/metadata/uid") + api::text_at(*object, "/metadata/resourceVersion");
    if (const auto known = seen_.find(version); known != seen_.end()) {
      out.push_back(known->second);
    } else {
      auto report =
          cluster_.get(client::resource::scheduling_reports, api::text_at(*object, "/metadata/namespace"),
                       api::text_at(*object, "/metadata/name"));
      if (!report) continue;  // deleted after the list
      auto read = render::read_report(*report);
      out.push_back({std::move(*report), std::move(read)});
    }
    seen.insert_or_assign(version, out.back());
    // Those that follow were written earlier.
    if (!is_recent(out.back().report, kWrittenWithin)) {
      is_cut_ = false;
      break;
    }
  }
  seen_ = std::move(seen);
  std::erase_if(out, [&](const LastDecision& each) {
    return each.report.status.outcome.empty() || !is_recent(each.report, std::chrono::seconds(0));
  });
  std::ranges::stable_sort(out, [](const LastDecision& a, const LastDecision& b) {
    return a.report.status.decided_at > b.report.status.decided_at;
  });
  return out;
}

}  // namespace podium::kubectl
