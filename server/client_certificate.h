// ClientCa: checks whether a client certificate was issued by the cluster's CA, and for which user.
//
// The common name is the user, the organizations are the groups.
// Source: k8s.io/apiserver/pkg/authentication/request/x509. Threads: immutable; may be shared.
// Errors: Kind::invalid says why a certificate is not accepted, or that a bundle has none.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "server/messages.h"
#include "server/user.h"

struct x509_store_st;

namespace podium::server {

class ClientCa {
 public:
  // A PEM bundle; `what` names it in errors.
  static Result<std::shared_ptr<const ClientCa>> parse(const std::string& pem, const std::string& what);

  // nullopt: the certificate is valid but has no common name. `certificates` is not empty.
  Result<std::optional<User>> user(const Certificates& certificates) const;

 private:
  explicit ClientCa(std::shared_ptr<x509_store_st> roots) : roots_(std::move(roots)) {}
  std::shared_ptr<x509_store_st> roots_;
};

}  // namespace podium::server
