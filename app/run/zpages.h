// /statusz and /flagz: version, uptime and flags, in kube-scheduler's form.
//
// Text for people; JSON and YAML for clients that accept
// "application/json;as=Statusz;v=v1beta1;g=config.k8s.io".
//
// Threads: pure functions. Source: k8s.io/apiserver/pkg/server/{statusz,flagz}.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "server/messages.h"

namespace podium::app::run {

struct StatusPage {
  Wall started{};
  Wall now{};
  std::vector<std::string> paths;  // of this server, such as "/metrics"
};

server::Reply statusz(const StatusPage& status, const std::string& accept);
server::Reply flagz(const std::map<std::string, std::string>& flags, const std::string& accept);

}  // namespace podium::app::run
