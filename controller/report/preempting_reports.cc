#include "controller/report/preempting_reports.h"

#include "explain/report/report_labels.h"

namespace podium::controller {

client::Task<Result<std::string>> list_preempting(client::Api& api, std::string ns, std::int64_t page,
                                                  std::function<bool(std::vector<boost::json::value>)> each,
                                                  client::CallOptions options) {
  client::ListOptions list;
  list.label_selector = explain::decisions_selector();
  list.field_selector = "status.preemption.nodeName!=";
  list.limit = page;
  auto listed = co_await api.list_pages(client::resource::scheduling_reports, ns, list, each, options);
  if (listed || listed.error().status.code != 400) co_return listed;
  list.label_selector = explain::unplaced_decisions_selector();
  list.field_selector.clear();
  co_return co_await api.list_pages(client::resource::scheduling_reports, ns, list, each, options);
}

}  // namespace podium::controller
