// User: who sends a request, as named by a client certificate or a TokenReview.
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

// The user of requests without credentials.
inline User anonymous() { return {"system:anonymous", "", {"system:unauthenticated"}, {}}; }

}  // namespace podium::server
