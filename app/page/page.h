// Page: the files of the page for browsers, below /ui/. They are embedded in the program and hold no secrets.
// The page reads its data from the HTTPS API with the rights of its user.
//
// The replies' policy forbids a browser to load anything from other origins or to run other scripts.
//
// Owner: DiagnosticsServer. Threads: immutable. Errors: each failure is a reply.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "server/messages.h"

namespace podium::app::page {

class Page {
 public:
  static constexpr std::string_view kRoot = "/ui/";

  Page();

  static bool serves(std::string_view path);  // any method
  server::Reply answer(const server::Request& request) const;

 private:
  struct File {
    std::string body, etag;
  };
  void add(std::string name, std::string body);

  std::map<std::string, File, std::less<>> files_;  // by the path below kRoot
};

}  // namespace podium::app::page
