// The requests for reports. Two write a report at once: one makes it, the next fills in its status.
//
// These two go out together, before it is known whether the first has succeeded. So the second says whose
// report it means, and is refused (422) where the name belongs to another pod's report or to a what-if.
// Threads: pure functions.
#pragma once

#include <boost/json/value.hpp>
#include <chrono>
#include <string>

#include "client/http/transport.h"
#include "controller/report.h"

namespace podium::controller {

// Whose report it is.
struct ReportOwner {
  std::string ns, pod, uid;
};

// `ttl` is noted for Retention.
boost::json::value report_body(const ReportOwner& owner, const std::string& name, std::chrono::seconds ttl);

client::Request make_report(const ReportOwner& owner, const std::string& name, std::chrono::seconds ttl);
client::Request fill_report(const ReportOwner& owner, const std::string& name, const ReportStatus& status);

// Deletes the report with this UID only.
client::Request delete_report(const std::string& ns, const std::string& name, const std::string& uid);

// The name of a report where the pod's own is taken: a DNS subdomain like it.
std::string suffixed(const std::string& pod, const std::string& uid);

}  // namespace podium::controller
