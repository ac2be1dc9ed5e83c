#include "explain/workload/pod_end.h"

#include "api/text/json_view.h"

namespace podium::explain {

std::string end_of_phase(std::string_view phase) {
  return phase == "Succeeded" ? "it has succeeded" : phase == "Failed" ? "it has failed" : "";
}

std::string end_of_pod(const boost::json::value& pod) {
  const auto phase = api::text_at(pod, "/status/phase");
  auto out = end_of_phase(phase);
  if (phase != "Failed") return out;
  for (const char* field : {"/status/reason", "/status/message"}) {
    if (const auto text = api::text_at(pod, field); !text.empty()) out += ": " + text;
  }
  while (out.ends_with('.') || out.ends_with(' ')) out.pop_back();
  return out;
}

}  // namespace podium::explain
