#include "app/kubectl/reports.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/kubectl/manifest.h"
#include "app/render/pending.h"
#include "app/render/report.h"
#include "app/render/text.h"
#include "app/render/why.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

bool is_about(const json::value& object, const std::string& pod, const std::string& uid) {
  const auto report = render::read_report(object);
  return !report.is_question && report.pod == pod && (uid.empty() || report.pod_uid == uid);
}

}  // namespace

Result<std::optional<json::value>> find_report(Cluster& cluster, const std::string& ns,
                                               const std::string& pod, const std::string& uid) {
  const auto& reports = client::resource::scheduling_reports;
  auto named = cluster.get(reports, ns, pod);
  if (named && is_about(*named, pod, uid)) return std::optional<json::value>(std::move(*named));
  if (!named && !client::object_is_gone(named.error())) return std::unexpected(std::move(named.error()));
  // The name was taken, by a question or an earlier pod of that name.
  client::ListOptions decisions;
  decisions.label_selector = "podium.dev/report=decision";
  auto listed = cluster.list(reports, ns, decisions);
  if (!listed) return std::unexpected(std::move(listed.error()));
  const auto found =
      std::ranges::find_if(*listed, [&](const json::value& object) { return is_about(object, pod, uid); });
  if (found == listed->end()) return std::optional<json::value>();
  return std::optional<json::value>(std::move(*found));
}

std::string no_report(const std::optional<json::value>& pod, const std::string& ns, const std::string& name,
                      const std::string& program) {
  if (!pod) return fmt::format("There is no pod {0}/{1}, and no report of one.\n", ns, name);
  const auto subject = ns + "/" + name;
  const auto waiting = render::read_waiting_pod(*pod);
  if (waiting && !waiting->gates.empty()) return render::gated(subject, waiting->gates);
  const auto scheduler = render::printable(text_of(*pod, "/spec/schedulerName"));
  const auto ask = fmt::format("Where would it go now? {} whatif pod/{} -n {}\n", program, name, ns);
  if (!waiting) {
    const auto node = render::printable(text_of(*pod, "/spec/nodeName"));
    if (node.empty()) return fmt::format("{} has ended, and podium has no report of it.\n", subject);
    return fmt::format(
        "{} is on {}. podium has no report of it: scheduler \"{}\" is not podium's, or the report has "
        "expired, or reports of such pods are off.\n{}",
        subject, node, scheduler, ask);
  }
  if (waiting->message.empty()) {
    return fmt::format("{} is pending, and no scheduler has tried it yet: is there one named \"{}\"?\n{}",
                       subject, scheduler, ask);
  }
  return fmt::format("{} is pending. podium has no report of it; scheduler \"{}\" says: {}\n{}", subject,
                     scheduler, waiting->message, ask);
}

}  // namespace podium::kubectl
