// Shared code of the planted bugs: predicates on requests and replies, and made-up replies.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "client/http/transport.h"
#include "simulate/server/faults.h"

namespace podium::simulate {

using Answer = Result<client::Response>;

bool names(const client::Request& request, std::string_view text);  // in its path
bool of_report(const client::Request& request);
bool has_code(const Answer& answer, int code);
bool is_line_of(const std::string& line, std::string_view type);  // of a watch

void drop_metadata(client::Request& request, std::initializer_list<std::string_view> fields);  // of its body

client::Response done(int status);
// The object of the request, as if it were stored.
client::Response stored(int status, const client::Request& request);

Faults only(std::initializer_list<Fault> wanted);

}  // namespace podium::simulate
