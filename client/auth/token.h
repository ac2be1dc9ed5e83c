// The token sources: a fixed token, a file that rotates. (An exec plugin: exec_credential.h.)
//
// Threads: any. Errors: Kind::invalid names the file and the reason, never the token.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "client/auth/config.h"

namespace podium::client {

// Whether a token may stand in a header: visible ASCII, nothing else.
bool is_token(const std::string& text);

std::shared_ptr<TokenSource> fixed_token(std::string token);

// Read again when the file changes, which is looked at once per interval and on refresh(). While the file is
// empty, gone or no token, the last token that was read stays.
std::shared_ptr<TokenSource> file_token(std::string path,
                                        std::chrono::milliseconds interval = std::chrono::seconds(1));

}  // namespace podium::client
