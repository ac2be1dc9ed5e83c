// ReportApi: the HTTPS API for programs: the last decision on a pod, a list of last decisions, and what-ifs.
//
//   GET  /v1/namespaces/NS/pods/POD/{scores,strategies,report}
//   GET  /v1/namespaces/NS/decisions, /v1/decisions
//   GET  /v1/namespaces/NS/changes, /v1/changes
//   GET  /v1/nodes, /v1/access
//   POST /v1/namespaces/NS/whatif/{scores,strategies,report}
//
// A request is authorized like one to the API server: get, list or create of schedulingreports in the
// namespace, or in all; list of nodes for /v1/nodes. What-ifs are answered by Questions (questions.h).
// If node names are withheld (withholdNodeNames), a user who may not list nodes gets aliases.
// A request for changes waits without a slot of the server, until the decisions have another version, the
// process no longer leads or stops, the client leaves, or 25 seconds have passed. Its rights are reviewed
// again before the reply.
// Bounds (api_limits.h): the requests of a user, and those of a user and of a peer that wait for changes.
//
// Every process with synced caches answers what-ifs. Only the leader has decisions.
//
// Owner: DiagnosticsServer. Threads: all functions on the I/O executor.
// Errors: each failure is a reply with a Status.
#pragma once

#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/report_api/node_list.h"
#include "app/report_api/questions.h"
#include "app/report_api/replies.h"
#include "app/report_api/rights.h"
#include "app/report_api/routes.h"
#include "async/gate.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/shares.h"
#include "controller/recorder/decision_memory.h"
#include "server/access.h"
#include "server/user_limits.h"

namespace podium::controller {
class Asker;
}

namespace podium::app::report_api {

class ReportApi {
 public:
  // Dependencies; all outlive this object.
  struct Sources {
    const controller::DecisionMemory& decisions;
    controller::Asker& asker;
    bool answers_what_ifs = true;
    bool withholds_node_names = false;                     // from users who may not list nodes
    std::function<std::vector<std::string>()> not_synced;  // "kind: reason"; empty: all caches have synced
    std::function<bool()> leads;
    std::function<std::string()> leader;  // empty: unknown
    // Called with the path of the table and the code of each reply; may be empty.
    std::function<void(const std::string& path, int code)> replied;
  };
  ReportApi(Sources sources, Admit admit, async::Gate& gate, Clock& clock, Random& random);

  static bool serves(std::string_view path);  // any method
  async::Task<server::Reply> answer(server::Request request) { return answer(this, std::move(request)); }
  server::Reply openapi() const;

 private:
  struct Target;
  // The subject of a request; else the reply to a wrong method or name, which no review of access precedes.
  static std::expected<Target, server::Reply> target_of(const std::string& path,
                                                        const server::Request& request);
  static async::Task<server::Reply> answer(ReportApi* self, server::Request request);
  static async::Task<server::Reply> reply_to(ReportApi* self, std::string path, server::Request request);
  static async::Task<server::Reply> access(ReportApi* self, server::Request request,
                                           server::AccessDecision all);
  static async::Task<server::Reply> changes(ReportApi* self, const Target* target, server::Request request,
                                            std::string user, std::string since);
  server::Reply changed(const std::string& version) const;
  static async::Task<server::Reply> nodes(ReportApi* self, WantedNodes wanted);
  server::Reply decided(const Target& target, const boost::json::object& parameters) const;
  server::Reply decision(const Target& target, const ReplyContext& shown) const;
  ReplyContext with_fate(ReplyContext shown, const controller::DecisionMemory::Found& found) const;
  server::Reply decisions(const Target& target, const boost::json::object& parameters,
                          const ReplyContext& shown) const;
  server::Reply follower_reply() const;

  const Sources sources_;
  const Admit admit_;
  Clock& clock_;
  server::UserLimits reads_;
  Questions questions_;
  Shares waits_of_user_, waits_of_peer_;  // for changes
};

}  // namespace podium::app::report_api
