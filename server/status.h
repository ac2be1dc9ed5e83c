// Failures as a metav1.Status, as the API server replies.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "server/messages.h"

namespace podium::server {

// The reply with this HTTP code, reason (metav1.StatusReason) and message.
Reply status_reply(int code, std::string reason, std::string message);
Reply status_reply(int code, std::string reason, std::string message, boost::json::object details);
// As above, with Kubernetes' reason for the code: 404 NotFound.
Reply status_reply(int code, std::string message);

}  // namespace podium::server
