#include "base/error.h"

namespace podium {

std::string Error::text() const { return request.line.empty() ? message : request.line + ": " + message; }

}  // namespace podium
