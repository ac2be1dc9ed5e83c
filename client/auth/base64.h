// Base64 of kubeconfig files and Secrets: RFC 4648, standard alphabet, padded; line breaks are ignored.
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace podium::client {

std::optional<std::string> base64_decode(std::string_view text);  // nullopt: not base64
std::string base64_encode(std::string_view bytes);

}  // namespace podium::client
