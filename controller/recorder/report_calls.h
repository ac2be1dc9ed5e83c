// The requests about one report that ReportWriter sends by themselves, outside a batch. None is retried.
//
// The caller keeps what the pointers point to until the task ends.
// Threads: those of the Api. Errors: those of the requests.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>

#include "async/task.h"
#include "base/instant.h"
#include "base/result.h"
#include "client/http/transport.h"
#include "controller/recorder/known_reports.h"
#include "controller/report/report_requests.h"
#include "explain/report/report.h"

namespace podium::client {
class Api;
}

namespace podium::controller {

class Retention;

// Returns the JSON of the reply.
async::Task<Result<boost::json::value>> send_report_request(client::Api* api, client::Request request);
async::Task<Result<boost::json::value>> read_report(client::Api* api, const ReportOwner* owner,
                                                    const std::string* name);
// True if the report is about a predecessor of the pod. The current pod of the name shows this; if there is
// none, or podium may not read it, the later decision is about the later pod. `decided_at`: the decision on
// the owner.
async::Task<Result<bool>> is_superseded(client::Api* api, const ReportOwner* owner,
                                        const boost::json::value* report, std::optional<Wall> decided_at);
async::Task<Result<void>> delete_superseded(client::Api* api, Retention* retention, const ReportOwner* owner,
                                            const boost::json::value* report);
// Fills in the status. If the report is too large, removes strategies and rejections from the status and
// tries once more.
async::Task<Result<boost::json::value>> fill_status(client::Api* api, const ReportOwner* owner,
                                                    const WrittenReport* report,
                                                    explain::ReportStatus* status);

}  // namespace podium::controller
