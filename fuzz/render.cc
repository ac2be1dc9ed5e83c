// Reports, pods and budgets as kubectl podium prints them: a terminal obeys nothing of what others wrote.
#include <boost/json/serialize.hpp>
#include <string>
#include <vector>

#include "api/text/parse_json.h"
#include "app/render/diff.h"
#include "app/render/drain.h"
#include "app/render/fixes.h"
#include "app/render/json_path.h"
#include "app/render/pending.h"
#include "app/render/pods.h"
#include "app/render/report.h"
#include "app/render/rolling.h"
#include "app/render/top.h"
#include "app/render/what_if.h"
#include "app/render/why.h"
#include "app/render/workload.h"
#include "fuzz/driver/require.h"
#include "fuzz/fuzzers.h"
#include "fuzz/output_checks.h"

namespace podium::fuzz {
namespace {

namespace json = boost::json;

constexpr Wall kRenderedAt{std::chrono::seconds(1'800'000'000)};

void check(std::string text, const render::Report& report) {
  if (planted() && report.status.rejections.size() > 3) text += '\x1b';
  require(is_harmless(text), "a terminal obeys nothing of a report", text);
  require(is_utf8(text), "text is UTF-8", text);
}

void check_report(const json::value& object, const render::Options& options) {
  const auto report = render::read_report(object);
  check(render::why(report, "shop/web", options), report);
  check(render::why_node(report, "shop/web", options), report);
  check(render::what_if(report, "shop/web", options), report);
  check(render::capacity(report, "shop/web", options), report);
  check(render::tried_fixes(report), report);
  check(render::next_step(report, "shop", "web", options), report);
  check(render::fixes_in_line(report, options), report);
  check(render::pods_table({{.subject = "shop/web", .node = "n1", .report = report}}, options), report);
  render::Rolling rolling;
  for (const auto& change : render::answer_of(report).changes)
    rolling.steps.push_back({.nodes = {"n-1", "n-2"}, .change = change});
  check(render::rolling_table(rolling, options), report);
  check(json::serialize(render::rolling_document(rolling)), report);
  check(render::tried_fixes_of_nodes(report), report);
  check(render::diff(report, {}, "a", "b", options), report);
  check(json::serialize(render::diff_document(report, report, "a", "b")), report);
  check(render::top({}, {report, report}, {24, 80}, options), report);
  check(render::cut_to(render::why(report, "shop/web", options), {5, 20}), report);
  const int code = render::exit_code(report);
  require(code >= 0 && code <= 4, "an exit code is one of those that are documented");
}

void check_pods(const json::value& object, const render::Options& options) {
  render::Drain drain;
  drain.nodes = {"n1"};
  std::vector<render::WaitingPod> waiting;
  std::vector<json::value> all{object};
  if (const auto* items = object.is_object() ? object.get_object().if_contains("items") : nullptr;
      items && items->is_array())
    all.assign(items->get_array().begin(), items->get_array().end());
  for (const auto& each : all) {
    if (auto pod = render::read_waiting_pod(each)) {
      pod->report = render::read_report(each);
      waiting.push_back(std::move(*pod));
    }
    if (auto pod = render::read_node_pod(each)) drain.pods.push_back(std::move(*pod));
  }
  render::find_obstacles("shop", all, drain);
  const auto report = render::read_report(object);
  for (const auto& change : render::answer_of(report).changes) render::set_numbers(change, drain);
  const auto groups = render::group_waiting(std::move(waiting));
  check(render::pending_table(groups, options), {});
  const auto replicas = render::replicas_of("Deployment", object, all);
  check(render::workload_why("shop/web", all, replicas, render::why_not_created(object, all, !groups.empty()),
                             groups, options),
        {});
  check(render::top(groups, {}, {24, 80}, options), {});
  check(render::drain_table(drain, options), {});
  (void)json::serialize(render::pending_document(groups));
  (void)json::serialize(render::drain_document(drain));
}

// What a user writes after -o jsonpath=; a document goes through its own paths.
void check_path(const json::value& object) {
  const auto* text = object.if_string();
  const auto path =
      render::JsonPath::parse(text ? std::string_view(*text) : "{..*}{.items[*].metadata.name}");
  if (path) (void)path->print(object);
}

}  // namespace

void render_text(std::string_view input) {
  // An API server sends UTF-8 only.
  if (!is_utf8(input)) return;
  const auto object = api::parse_json(input);
  if (!object) return;
  for (const bool wide : {false, true}) {
    const render::Options options{.wide = wide,
                                  .now = kRenderedAt,
                                  .program = "kubectl podium",
                                  .columns = wide ? std::size_t{0} : std::size_t{80}};
    check_report(*object, options);
    check_pods(*object, options);
  }
  check_path(*object);
}

}  // namespace podium::fuzz
