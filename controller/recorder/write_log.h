// WriteLog: logs failed writes of reports: each pause once, each namespace once, each cause within a limit.
//
// Owner: a ReportWriter. Threads: used on io only. Errors: none.
#pragma once

#include <set>
#include <string>

#include "async/fair_queue_options.h"
#include "base/clock.h"
#include "base/error.h"
#include "controller/report/report_requests.h"
#include "log/limit.h"

namespace podium::controller {

class WriteLog {
 public:
  // A report of this namespace was written: ends the pause, and that of the namespace.
  void written(const std::string& ns);
  // A write failed with this outcome.
  void refused(const ReportOwner& owner, async::Outcome outcome, const Error& error, Steady now);
  void no_room(const ReportOwner& owner, Steady now);
  void without_labels(const Error& error, Steady now);

 private:
  LogLimit limit_;
  bool is_paused_ = false, logged_pause_ = false;
  std::set<std::string> held_;  // namespaces that refuse reports
};

}  // namespace podium::controller
