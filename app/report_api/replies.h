// Builds the bodies of the HTTPS API's replies from a report's status.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>

#include "app/render/words_json.h"
#include "app/report_api/question_body.h"
#include "app/report_api/routes.h"
#include "controller/recorder/decision_memory.h"
#include "explain/report/report.h"
#include "server/messages.h"

namespace podium::app::report_api {

// What a reply shows next to the decision.
struct ReplyContext {
  bool withholds_node_names = false;
  bool words = false;      // of the reasons: app/render/words_json.h
  render::Life life = {};  // of the pod
};

// scores: [{"Host", "Score"}…], best first, at most 10. strategies: [{"Strategy", "Weight", "HostPriority":
// [{"Host", "Score"}…]}…], at most 5 hosts each. report: the SchedulingReport with this metadata and spec.
boost::json::value answer_in(Form form, const explain::ReportStatus& status, boost::json::object metadata,
                             boost::json::object spec);

server::Reply decision_reply(Form form, const controller::RememberedDecision& decision,
                             const ReplyContext& shown = {});
// Explains why there is no decision on the pod, with a message and a cause for programs.
// If the last pod of this name was to make room for another one, also causes EvictedFor ("ml/vip"),
// EvictedAt and EvictedFrom (the node).
server::Reply no_decision_reply(const std::string& ns, const std::string& pod,
                                const controller::DecisionMemory::Found& found, bool withholds_node_names);
// A decision for log pipelines: an entry of decisions_reply(), and the strategies that decided, the pods that
// are evicted, and the times.
boost::json::object decision_line(const controller::RememberedDecision& decision);
// {"metadata": {"continue"}, "items": [{"namespace", "name", "outcome", …}…]}: one entry for each decision.
server::Reply decisions_reply(const controller::DecisionMemory::Listed& listed,
                              const ReplyContext& shown = {});
// A refused question is 422 Invalid, one that ran out of time 504.
server::Reply question_reply(Form form, const explain::Question& question,
                             const explain::ReportStatus& status, bool with_words = false);

}  // namespace podium::app::report_api
