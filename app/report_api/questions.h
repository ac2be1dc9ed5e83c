// Questions: what-ifs over HTTPS, from an admitted request to its reply.
//
// Reads a body only within the bounds of its user and namespace, and parses and evaluates it on the workers
// for what-ifs (controller/what_if/asker.h). A question about a pod or a workload of the cluster needs the
// right to get it. With allNamespaces=true, a drain names the pods of all namespaces in which the user may
// list pods and create schedulingreports.
// Bounds (api_limits.h): the questions of a user and of a namespace, the size of a body, the bodies in
// progress of a user and of a namespace, the time of an answer.
//
// Owner: ReportApi. Threads: all functions on the I/O executor.
// Errors: each failure is a reply with a Status.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/report_api/question_body.h"
#include "app/report_api/rights.h"
#include "app/report_api/routes.h"
#include "async/gate.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/shares.h"
#include "server/messages.h"
#include "server/user_limits.h"

namespace podium::controller {
class Asker;
}

namespace podium::app::report_api {

// A request for an answer, whose user may ask in the namespace.
struct AskedOverHttps {
  AskedOverHttps() {}  // not an aggregate: see server::Request

  Form form = Form::report;
  std::string ns, user;
  bool withholds_node_names = false;
};

class Questions {
 public:
  // Dependencies; all outlive this object.
  struct Parts {
    controller::Asker& asker;
    bool are_answered = true;                              // false: what-ifs are switched off
    std::function<std::vector<std::string>()> not_synced;  // see ReportApi::Sources
    const Admit& admit;
    async::Gate& gate;
    Clock& clock;
    Random& random;
  };

  explicit Questions(Parts parts);

  async::Task<server::Reply> answer(AskedOverHttps asked, server::Request request) {
    return answer(this, std::move(asked), std::move(request));
  }

 private:
  struct Flags {
    bool words, all_namespaces;
  };
  using Body = std::expected<std::string, server::Reply>;
  using Referred = std::expected<QuestionPtr, server::Reply>;
  static async::Task<server::Reply> answer(Questions* self, AskedOverHttps asked, server::Request request);
  static async::Task<Body> read_body(Questions* self, const AskedOverHttps* asked, server::Request* request);
  static async::Task<server::Reply> evaluate(Questions* self, Form form, Flags flags, server::Request request,
                                             std::shared_ptr<QuestionBody> body,
                                             server::UserLimits::Slot slot);
  static async::Task<Referred> refer(Questions* self, server::Request request, QuestionPtr question,
                                     Steady until);
  static async::Task<QuestionPtr> see_drained(Questions* self, server::Request request, QuestionPtr question,
                                              Steady until);
  std::string new_uid();

  const Parts parts_;
  server::UserLimits of_user_;
  Shares of_namespace_, bodies_of_user_, bodies_of_namespace_;
};

}  // namespace podium::app::report_api
