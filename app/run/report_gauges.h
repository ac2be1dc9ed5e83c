// The metric podium_reports: the numbers of SchedulingReports written, dropped, failed, waiting and kept.
//
// Owner: Process. Threads: one at a time.
#pragma once

#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include "controller/report_writer.h"

namespace podium::app::run {

class ReportGauges {
 public:
  explicit ReportGauges(prometheus::Registry& registry);
  void set(const controller::ReportCounts& counts, std::size_t kept);

 private:
  prometheus::Family<prometheus::Gauge>& family_;
  prometheus::Gauge &written_, &dropped_, &failed_, &waiting_, &kept_;
};

}  // namespace podium::app::run
