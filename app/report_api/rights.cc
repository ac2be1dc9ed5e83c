#include "app/report_api/rights.h"

#include <utility>

#include "app/report_api/attributes.h"

namespace podium::app::report_api {

using async::Task;
using server::Request;

Task<bool> may_know_nodes(const Admit* admit, Request request) {
  auto nodes = list_of_nodes();
  const auto review = co_await (*admit)(std::move(request), std::move(nodes));
  co_return !review.refusal;
}

Task<bool> may_ask(const Admit* admit, Request request, const char* verb, std::string ns) {
  auto asking = create_of_reports(ns);
  const auto may_create = co_await (*admit)(request, std::move(asking));
  if (may_create.refusal) co_return false;
  auto pods = of_pods(verb, std::move(ns));
  const auto may_see = co_await (*admit)(std::move(request), std::move(pods));
  co_return !may_see.refusal;
}

}  // namespace podium::app::report_api
