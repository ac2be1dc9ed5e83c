// Health endpoints with named checks, in kube-apiserver's format.
//
// Threads: values; checks run in health_reply(). Source: k8s.io/apiserver/pkg/server/healthz. Errors: none.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "server/messages.h"

namespace podium::server {

struct HealthCheck {
  std::string name;                                           // the last segment of its path
  std::function<std::optional<std::string>()> why_unhealthy;  // nullopt: healthy
};

// Called for each check of an endpoint as a whole; `why`: nullopt: healthy.
using HealthObserver = std::function<void(const std::string& endpoint, const std::string& check,
                                          const std::optional<std::string>& why)>;

// Reply of an endpoint: "/readyz" runs all checks; "/readyz/NAME" runs one and gives its reason. `endpoint`
// has no '/'. nullopt: no such path.
std::optional<Reply> health_reply(const std::string& endpoint, const std::vector<HealthCheck>& checks,
                                  const Request& request, const HealthObserver& observe = {});

}  // namespace podium::server
