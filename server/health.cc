#include "server/health.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace podium::server {
namespace {

constexpr int kUnhealthy = 500;

Reply all(const std::string& endpoint, const std::vector<HealthCheck>& checks, const Request& request,
          const HealthObserver& observe) {
  const auto values = request.values("exclude");
  std::set<std::string> excluded(values.begin(), values.end()), unknown = excluded;
  std::string lines;
  bool healthy = true;
  for (const auto& check : checks) {
    unknown.erase(check.name);
    if (excluded.contains(check.name)) {
      lines += fmt::format("[+]{} excluded: ok\n", check.name);
      continue;
    }
    const auto why = check.why_unhealthy();
    const bool good = !why;
    if (observe) observe(endpoint, check.name, why);
    healthy = healthy && good;  // withholds the reason: the endpoint is open to anyone
    lines += good ? fmt::format("[+]{} ok\n", check.name)
                  : fmt::format("[-]{} failed: reason withheld\n", check.name);
  }
  if (!unknown.empty()) {
    std::string names;
    for (const auto& name : unknown) names += fmt::format("{}\"{}\"", names.empty() ? "" : ",", name);
    lines += fmt::format("warn: some health checks cannot be excluded: no matches for {}\n", names);
  }
  if (!healthy) return Reply(kUnhealthy, fmt::format("{}{} check failed\n", lines, endpoint));
  if (!request.asks_for("verbose")) return Reply(200, "ok");
  return Reply(200, fmt::format("{}{} check passed\n", lines, endpoint));
}

}  // namespace

std::optional<Reply> health_reply(const std::string& endpoint, const std::vector<HealthCheck>& checks,
                                  const Request& request, const HealthObserver& observe) {
  const auto root = "/" + endpoint;
  if (request.path == root) return all(endpoint, checks, request, observe);
  if (!request.path.starts_with(root + "/")) return std::nullopt;
  const auto it = std::ranges::find(checks, request.path.substr(root.size() + 1), &HealthCheck::name);
  if (it == checks.end()) return std::nullopt;
  const auto why = it->why_unhealthy();
  return why ? Reply(kUnhealthy, fmt::format("internal server error: {}\n", *why)) : Reply(200, "ok");
}

}  // namespace podium::server
