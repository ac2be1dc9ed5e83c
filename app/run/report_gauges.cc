#include "app/run/report_gauges.h"

namespace podium::app::run {

ReportGauges::ReportGauges(prometheus::Registry& registry)
    : family_(prometheus::BuildGauge()
                  .Name("podium_reports")
                  .Help("SchedulingReports: written, dropped (bounds, budget), failed (refused), "
                        "waiting to be written, kept.")
                  .Register(registry)),
      written_(family_.Add({{"state", "written"}})),
      dropped_(family_.Add({{"state", "dropped"}})),
      failed_(family_.Add({{"state", "failed"}})),
      waiting_(family_.Add({{"state", "waiting"}})),
      kept_(family_.Add({{"state", "kept"}})) {}

void ReportGauges::set(const controller::ReportCounts& counts, std::size_t kept) {
  written_.Set(static_cast<double>(counts.written));
  dropped_.Set(static_cast<double>(counts.dropped));
  failed_.Set(static_cast<double>(counts.failed));
  waiting_.Set(static_cast<double>(counts.waiting));
  kept_.Set(static_cast<double>(kept));
}

}  // namespace podium::app::run
