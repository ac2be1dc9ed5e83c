// ReportApi: the HTTPS API for programs: the last decision on a pod, a list of these, and what-ifs.
//
//   GET  /v1/namespaces/NS/pods/POD/{scores,strategies,report}
//   GET  /v1/namespaces/NS/decisions, /v1/decisions
//   GET  /v1/namespaces/NS/changes, /v1/changes
//   GET  /v1/nodes, /v1/access
//   POST /v1/namespaces/NS/whatif/{scores,strategies,report}
//
// A request is authorized like one to the API server: get, list or create of schedulingreports in the
// namespace, or in all; list of nodes for /v1/nodes. A body is read only after that, and parsed and
// evaluated on the workers for what-ifs (controller/what_if/asker.h). A question about a pod or a workload
// of the cluster needs the right to get it. With allNamespaces=true, a drain names the pods of
// all namespaces in which the user may list pods and create schedulingreports.
// If node names are withheld (withholdNodeNames), a user who may not list nodes gets aliases.
// A request for changes waits without a slot of the server, until the decisions have another version, the
// process no longer leads or stops, the client leaves, or 25 seconds have passed. Its rights are reviewed
// again before the reply.
// Bounds: the requests of a user, those of a user and of a peer that wait for changes, requests in progress,
// the size of a body, the bodies in progress of a user and of a namespace, the time of an answer.
//
// Every process with synced caches answers what-ifs. Only the leader has decisions.
//
// Owner: DiagnosticsServer. Threads: all functions on the I/O executor.
// Errors: each failure is a reply with a Status.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/report_api/node_list.h"
#include "app/report_api/replies.h"
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

struct QuestionBody;

class ReportApi {
 public:
  static constexpr std::size_t kBodyBytes = 1024 * 1024;

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
  // Reviews access: Access::admit().
  using Admit = std::function<async::Task<server::AccessDecision>(server::Request, server::Attributes)>;

  ReportApi(Sources sources, Admit admit, async::Gate& gate, Clock& clock, Random& random);

  static bool serves(std::string_view path);  // any method
  async::Task<server::Reply> answer(server::Request request) { return answer(this, std::move(request)); }
  server::Reply openapi() const;

 private:
  struct Target;
  static async::Task<server::Reply> answer(ReportApi* self, server::Request request);
  static async::Task<server::Reply> reply_to(ReportApi* self, std::string path, server::Request request);
  static async::Task<server::Reply> ask(ReportApi* self, const Target* target, server::Request request,
                                        std::string user);
  static async::Task<server::Reply> access(ReportApi* self, server::Request request,
                                           server::AccessDecision all);
  static async::Task<bool> may_know_nodes(ReportApi* self, server::Request request);
  // Flags of a question.
  struct Wanted {
    bool words, all_namespaces;
  };
  static async::Task<server::Reply> evaluate(ReportApi* self, Form form, Wanted wanted,
                                             server::Request request, std::shared_ptr<QuestionBody> body,
                                             server::UserLimits::Slot slot);
  using Referred = std::expected<std::shared_ptr<const explain::Question>, server::Reply>;
  static async::Task<std::shared_ptr<const explain::Question>> see_drained(
      ReportApi* self, server::Request request, std::shared_ptr<const explain::Question> question,
      Steady until);
  static async::Task<bool> may_ask(ReportApi* self, server::Request request, const char* verb,
                                   std::string ns);
  static async::Task<Referred> refer(ReportApi* self, server::Request request,
                                     std::shared_ptr<const explain::Question> question, Steady until);
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
  std::string new_uid();

  const Sources sources_;
  const Admit admit_;
  async::Gate& gate_;
  Clock& clock_;
  Random& random_;
  server::UserLimits reads_, questions_;
  Shares questions_of_namespace_, bodies_of_user_, bodies_of_namespace_;
  Shares waits_of_user_, waits_of_peer_;  // for changes
};

}  // namespace podium::app::report_api
