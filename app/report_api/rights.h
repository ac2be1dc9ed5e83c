// The rights of a user that the HTTPS API asks about besides that to the route.
//
// Threads: on the executor of `admit`, which outlives the task. Errors: none; a review that fails denies.
#pragma once

#include <functional>
#include <string>

#include "async/task.h"
#include "server/access.h"
#include "server/messages.h"

namespace podium::app::report_api {

// Reviews access: Access::admit().
using Admit = std::function<async::Task<server::AccessDecision>(server::Request, server::Attributes)>;

// Whether the user may list nodes, and so see their names.
async::Task<bool> may_know_nodes(const Admit* admit, server::Request request);
// Whether the user may ask in this namespace ("": in all), and get or list (`verb`) the pods there.
async::Task<bool> may_ask(const Admit* admit, server::Request request, const char* verb, std::string ns);

}  // namespace podium::app::report_api
