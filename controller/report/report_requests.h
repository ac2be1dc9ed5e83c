// The HTTP requests for reports. Writing a new report takes two: a POST creates it with its labels, a PATCH
// fills in its status.
//
// Both are sent in one batch, before the POST's result is known. So the PATCH tests the pod's UID,
// and the API server refuses it (422) if the name belongs to another pod's report or to a what-if.
// It also tests the status that it replaces (StatusBefore): a PATCH that arrives late or twice, after a newer
// one, is refused. The resourceVersion cannot serve for that: the request before it in the batch changes it.
//
// The status subresource ignores metadata. So changed labels take one more PATCH
// (docs/decisions/0012).
//
// Threads: pure functions. Errors: none.
#pragma once

#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "client/http/transport.h"
#include "explain/report/report.h"

namespace podium::controller {

// The pod that a report is about.
struct ReportOwner {
  std::string ns, pod, uid;
};

// The labels of a report.
struct ReportLabels {
  std::string kind;             // explain::kDecision or explain::kQuestion
  std::string outcome;          // empty: none yet
  std::optional<Wall> expires;  // nullopt: it does not expire
};
ReportLabels labels_of(const explain::ReportStatus& status, const char* kind);
boost::json::object to_json(const ReportLabels& labels);

// Identifies the status that a PATCH replaces. One attempt may have several: its binding waits for one claim,
// then for another, and ends.
struct StatusBefore {
  std::optional<Wall> decided_at;  // nullopt: the report has no status
  std::uint32_t attempts = 0;
  std::string outcome, reason;  // of its summary
};
StatusBefore identify(const explain::ReportStatus& status);

// The values that Retention reads from a report's annotations.
struct ReportNotes {
  std::chrono::seconds ttl{0};
  std::uint32_t bytes = 0;  // stored_bytes()
};

// The object to create. The TTL is also in its spec.
std::string report_body(const ReportOwner& owner, const std::string& name, const ReportNotes& notes,
                        const explain::ReportStatus& status);

client::Request make_report(const ReportOwner& owner, const std::string& name, const ReportNotes& notes,
                            const explain::ReportStatus& status);
// The most bytes that the status of this report may take.
std::size_t status_bytes(const ReportOwner& owner, const std::string& name);
client::Request fill_report(const ReportOwner& owner, const std::string& name, const StatusBefore& before,
                            const explain::ReportStatus& status);
// Changes the labels of the report with this UID, and with this resourceVersion unless it is empty.
client::Request label_report(const std::string& ns, const std::string& name, const std::string& uid,
                             const ReportLabels& labels, const std::string& version = {});

// Deletes the report with this UID only, and with this resourceVersion only unless it is empty.
client::Request delete_report(const std::string& ns, const std::string& name, const std::string& uid,
                              const std::string& version = {});
// Selects the decisions whose label has this minute.
std::string labels_of_minute(std::uint32_t minute);
// Deletes up to kDeletedTogether decisions of the namespace with this minute as label. The reply lists them.
client::Request delete_minute(const std::string& ns, std::uint32_t minute);
inline constexpr std::size_t kDeletedTogether = 500;

// The report's name if the pod's own name is taken: "pod-xxxxxx", a DNS subdomain of at
// most 253 characters.
std::string suffixed(const std::string& pod, const std::string& uid);

}  // namespace podium::controller
