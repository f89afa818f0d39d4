// SPDX-License-Identifier: Apache-2.0
// Scratch memory and threads that outlive a call.
#pragma once

#include <cstddef>

#include "numpact/config.hpp"
#include "numpact/executor.hpp"

namespace numpact::python {

// A context of the calling thread's, lent for one call; or none.
template <class Context>
class LentContext {
 public:
  LentContext() = default;
  LentContext(Context* context, void (*take_back)()) : context_(context), take_back_(take_back) {}
  ~LentContext() {
    if (context_ != nullptr) take_back_();
  }
  LentContext(const LentContext&) = delete;
  LentContext& operator=(const LentContext&) = delete;
  Context* get() const { return context_; }

 private:
  Context* context_ = nullptr;
  void (*take_back_)() = nullptr;
};

// For calls on at most a few thousand numbers, where allocating would show. None for larger ones,
// which should not leave their memory behind, and for calls that are made while another of the same
// thread has it: a progress function or a signal handler may decode something itself. None for
// calls with threads of their own either: the context would keep them, and fork() would break it.
LentContext<DecodeContext> small_decode_context(std::size_t file_bytes, const DecodeConfig& config);
LentContext<EncodeContext> small_encode_context(std::size_t number_bytes,
                                                const EncodeConfig& config);

// To be called once, before any other.
void prepare_for_fork();

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
