// The HTTP requests for reports. Writing a new report takes two: a POST creates it, a PATCH fills
// in its status.
//
// Both are sent in one batch, before the POST's result is known. So the PATCH tests the pod's UID,
// and the API server refuses it (422) where the name belongs to another pod's report or to a what-if.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <boost/json/value.hpp>
#include <chrono>
#include <string>

#include "client/http/transport.h"
#include "controller/report.h"

namespace podium::controller {

// The pod that a report is about.
struct ReportOwner {
  std::string ns, pod, uid;
};

// The object to create. `ttl` goes into an annotation that Retention reads.
boost::json::value report_body(const ReportOwner& owner, const std::string& name, std::chrono::seconds ttl);

client::Request make_report(const ReportOwner& owner, const std::string& name, std::chrono::seconds ttl);
client::Request fill_report(const ReportOwner& owner, const std::string& name, const ReportStatus& status);

// Deletes the report with this UID only.
client::Request delete_report(const std::string& ns, const std::string& name, const std::string& uid);

// The report's name where the pod's own name is taken: "pod-xxxxxx", a DNS subdomain of at
// most 253 characters.
std::string suffixed(const std::string& pod, const std::string& uid);

}  // namespace podium::controller
