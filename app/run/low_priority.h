// give_way(): lets the threads of a pool give way to the others of the machine.
//
// What-ifs can fill a core for seconds. The kernel then prefers the threads that schedule, and those of etcd
// and the API server on the same machine. CPU that nobody else wants is theirs as before.
// Source: setpriority(2); Linux keeps a nice value for each thread. Threads: any. Errors: none; where the
// system refuses, the priority stays as it is.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <cstddef>

namespace podium::app::run {

inline constexpr int kGiveWay = 10;  // added to the nice value: about a tenth of an ordinary thread's share

// Waits for all `threads` of the pool, which have to be idle.
void give_way(boost::asio::thread_pool& pool, std::size_t threads);

}  // namespace podium::app::run
