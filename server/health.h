// Health endpoints with named checks, in kube-apiserver's format.
//
// Threads: values; checks are called where reply() is. Source: k8s.io/apiserver/pkg/server/healthz.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "server/exchange.h"

namespace podium::server {

struct HealthCheck {
  std::string name;                                           // a word of its path
  std::function<std::optional<std::string>()> why_unhealthy;  // nullopt: healthy
};

// Told of each check that is made for an endpoint as a whole.
using HealthObserver =
    std::function<void(const std::string& endpoint, const std::string& check, bool healthy)>;

// What an endpoint's path and those below it answer: "/readyz" all checks, "/readyz/NAME" one of them, with
// its reason. `endpoint` has no '/'. nullopt: no such path.
std::optional<Reply> health_reply(const std::string& endpoint, const std::vector<HealthCheck>& checks,
                                  const Request& request, const HealthObserver& observe = {});

}  // namespace podium::server
