// The rights that the requests of the HTTPS API need, as the API server reviews them.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <string>

#include "app/report_api/routes.h"
#include "server/access.h"

namespace podium::app::report_api {

server::Attributes list_of_nodes();
server::Attributes create_of_reports(const std::string& ns);
// `verb`: get or list. `ns`: empty: in all namespaces.
server::Attributes of_pods(const char* verb, std::string ns);
// The right that a request to this route needs. To ask for one's own access takes that to list all decisions.
server::Attributes attributes_of(const Route& route, const std::string& ns);

}  // namespace podium::app::report_api
