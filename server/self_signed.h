// A self-signed certificate for this process, for localhost and the host's name, valid for a year.
#pragma once

#include <string>

#include "base/result.h"

namespace podium::server {

struct CertificatePair {
  std::string certificate, key;  // PEM
};

Result<CertificatePair> self_signed_certificate(const std::string& host);

}  // namespace podium::server
