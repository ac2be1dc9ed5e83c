#include "controller/recorder/report_calls.h"

#include <boost/json/object.hpp>
#include <utility>
#include <vector>

#include "api/text/json_view.h"
#include "api/text/parse_json.h"
#include "client/api.h"
#include "client/request_errors.h"
#include "controller/recorder/write_replies.h"
#include "controller/retention/retention.h"
#include "explain/report/json.h"

namespace podium::controller {
namespace {

namespace json = boost::json;
using async::Task;

client::CallOptions once() {
  client::CallOptions options;
  options.retry = false;
  return options;
}

}  // namespace

Task<Result<json::value>> send_report_request(client::Api* api, client::Request request) {
  std::vector<client::Request> one;
  one.push_back(std::move(request));
  const auto answers = co_await api->send_all(std::move(one));
  if (!answers[0]) co_return std::unexpected(answers[0].error());
  co_return api::parse_json(*answers[0]);
}

Task<Result<json::value>> read_report(client::Api* api, const ReportOwner* owner, const std::string* name) {
  const auto options = once();
  co_return co_await api->get(client::resource::scheduling_reports, owner->ns, *name, options);
}

Task<Result<bool>> is_superseded(client::Api* api, const ReportOwner* owner, const json::value* report,
                                 std::optional<Wall> decided_at) {
  const auto options = once();
  const auto pod = co_await api->get(client::resource::pods, owner->ns, owner->pod, options);
  const bool readable = pod || client::object_is_gone(pod.error()) || client::lacks_right(pod.error());
  if (!readable) co_return std::unexpected(pod.error());
  const auto uid = pod ? api::text_at(*pod, "/metadata/uid") : std::string();
  const bool later = !was_decided_after(*report, decided_at);
  co_return uid == owner->uid || (later && uid != api::text_at(*report, "/spec/podRef/uid"));
}

Task<Result<void>> delete_superseded(client::Api* api, Retention* retention, const ReportOwner* owner,
                                     const json::value* report) {
  const auto name = api::text_at(*report, "/metadata/name"), uid = api::text_at(*report, "/metadata/uid");
  const auto gone = co_await send_report_request(api, delete_report(owner->ns, name, uid));
  if (!gone && !client::object_is_gone(gone.error())) co_return std::unexpected(gone.error());
  retention->forget(owner->ns, name, uid);
  co_return Result<void>{};
}

Task<Result<json::value>> fill_status(client::Api* api, const ReportOwner* owner, const WrittenReport* report,
                                      explain::ReportStatus* status) {
  const auto options = once();
  for (bool is_shortened = false;; is_shortened = true) {
    json::object metadata{{"uid", report->uid}};
    if (!report->version.empty()) metadata["resourceVersion"] = report->version;
    json::value body =
        json::object{{"metadata", std::move(metadata)}, {"status", explain::to_merge_patch(*status)}};
    auto filled = co_await api->patch(client::resource::scheduling_reports, owner->ns, report->name,
                                      client::PatchType::merge, std::move(body), "status",
                                      client::kFieldManager, options);
    if (filled || is_shortened || (filled.error().status.code != 413 && filled.error().status.code != 422))
      co_return filled;
    status->strategies.clear();
    status->rejections.clear();
    for (auto& top : status->top_nodes) top.strategy_scores.clear();
  }
}

}  // namespace podium::controller
