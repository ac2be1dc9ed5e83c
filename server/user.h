// User: who sends a request, as a review of the API server or a client certificate says.
//
// Threads: values.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace podium::server {

struct User {
  std::string name, uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
};

// Who sends no credentials.
inline User anonymous() { return {"system:anonymous", "", {"system:unauthenticated"}, {}}; }

}  // namespace podium::server
