// Compiles Asio and Beast; all other translation units see only their declarations.
#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>
