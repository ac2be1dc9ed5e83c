// The OpenAPI 3 document of the HTTPS API, generated from the server's own tables.
//
// Threads: pure function. Errors: none.
#pragma once

#include <boost/json/object.hpp>

namespace podium::app::report_api {

boost::json::object openapi_document();

}  // namespace podium::app::report_api
