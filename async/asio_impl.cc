// The one translation unit that compiles Asio and Beast; everything else sees their declarations only.
#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>
