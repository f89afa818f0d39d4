// SPDX-License-Identifier: Apache-2.0
// Scratch memory and threads that outlive a call.
#ifndef NUMPACT_PYTHON_CONTEXTS_HPP
#define NUMPACT_PYTHON_CONTEXTS_HPP

#include <cstddef>

#include "numpact/config.hpp"
#include "numpact/executor.hpp"

namespace numpact::python {

// A context of the calling thread for calls on at most a few thousand numbers, where allocating
// would show; null for larger ones, which should not leave their memory behind.
DecodeContext* small_decode_context(std::size_t file_bytes);
EncodeContext* small_encode_context(std::size_t number_bytes);

// Sets threads or executor: one for 1, the threads that all calls of the process share for 0, else
// threads of the call's own. `parts`: how many chunks there may be; threads are not begun for one.
template <class Config>
void set_threads(Config& config, unsigned threads, std::size_t parts);

// As many as the machine runs at once, shared by every call; survives fork().
Executor& shared_executor();

template <class Config>
void set_threads(Config& config, unsigned threads, std::size_t parts) {
  if (threads == 1 || parts < 2) return;
  if (threads == 0) {
    config.executor = &shared_executor();
  } else {
    config.threads = threads;
  }
}

}  // namespace numpact::python

#endif
