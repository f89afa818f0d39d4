// SPDX-License-Identifier: Apache-2.0
// One context for each thread that calls a plug-in, for hosts that pass no state of theirs.
#pragma once

#include "numpact/numpact.h"

namespace numpact_plugin {

// Outlives the context of its thread: it has no destructor, so that it can be read until the
// thread's memory is freed.
inline thread_local bool thread_context_is_gone = false;

class ThreadContext {
 public:
  ThreadContext() = default;
  ThreadContext(const ThreadContext&) = delete;
  ThreadContext& operator=(const ThreadContext&) = delete;
  ~ThreadContext() {
    thread_context_is_gone = true;
    release();
  }

  numpact_context* get() {
    // Null if there is no memory: then the call uses a temporary context, or reports that.
    if (context_ == nullptr) numpact_context_create(nullptr, &context_, nullptr);
    return context_;
  }

  void release() {
    numpact_context_destroy(context_);
    context_ = nullptr;
  }

 private:
  numpact_context* context_ = nullptr;
};

inline thread_local ThreadContext own_thread_context;

// The calling thread's context: made at its first call, destroyed when the thread ends or by
// release_thread_context. A destructor of the host that calls later gets null, which stands for a
// temporary context. The C library keeps the plug-in loaded until the destructors have run.
inline numpact_context* thread_context() {
  return thread_context_is_gone ? nullptr : own_thread_context.get();
}

inline void release_thread_context() {
  if (!thread_context_is_gone) own_thread_context.release();
}

}  // namespace numpact_plugin
