// Token sources: a fixed token, and a file that rotates. For exec plugins see exec_credential.h.
//
// Threads: any. Errors: Kind::invalid with the file and the reason, never the token.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "client/auth/client_config.h"

namespace podium::client {

// Whether the text is a valid header value: visible ASCII only.
bool is_token(const std::string& text);

std::shared_ptr<TokenSource> fixed_token(std::string token);

// Reloads the file when it changes; checks at most once per interval, and after refresh(). While the file is
// missing, empty or not a token, the last good token stays. ready(): current() will not look at the file.
std::shared_ptr<TokenSource> file_token(std::string path,
                                        std::chrono::milliseconds interval = std::chrono::seconds(1));

}  // namespace podium::client
