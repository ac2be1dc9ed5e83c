// The OpenAPI 3 document of the HTTPS API, made of the tables that the server uses.
//
// Threads: pure function. Errors: none.
#pragma once

#include <boost/json/object.hpp>

namespace podium::app::report_api {

boost::json::object openapi_document();

}  // namespace podium::app::report_api
