// The two requests that write a report at once: one makes it, the next fills in its status.
//
// They go out together, before it is known whether the first has succeeded. So the second says whose report
// it means, and is refused (422) where the name belongs to another pod's report or to a what-if.
// Threads: pure functions.
#pragma once

#include <boost/json/value.hpp>
#include <string>

#include "client/transport.h"
#include "controller/report.h"

namespace podium::controller {

// Whose report it is.
struct ReportOwner {
  std::string ns, pod, uid;
};

boost::json::value report_body(const ReportOwner& owner, const std::string& name);

client::Request make_report(const ReportOwner& owner, const std::string& name);
client::Request fill_report(const ReportOwner& owner, const std::string& name, const ReportStatus& status);

}  // namespace podium::controller
