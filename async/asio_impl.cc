// Compiles Asio; all other translation units see only its declarations.
#include <boost/asio/impl/src.hpp>
