// Compiles Asio's TLS streams (BOOST_ASIO_SEPARATE_COMPILATION). The client uses OpenSSL directly.
#include <boost/asio/ssl/impl/src.hpp>
