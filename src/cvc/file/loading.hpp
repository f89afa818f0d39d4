// SPDX-License-Identifier: Apache-2.0
// Parallel work on chunks that are not in memory: each task loads the chunks it works on.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <vector>

#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/task_pool.hpp"
#include "base/try.hpp"
#include "cvc/file/loader.hpp"

namespace numpact::cvc::internal {

// Memory that a task reuses from chunk to chunk.
struct WorkerScratch {
  Buffer buffer;
  std::vector<Window> windows;
};

// Whether the error comes from outside the chunk's bytes: the source, memory, a limit, or the
// caller. Such an error ends the work; others are reported for the chunk.
inline bool is_external_error(const Status& status) {
  return status.kind() == ErrorKind::kIo || status.kind() == ErrorKind::kOutOfMemory ||
         status.kind() == ErrorKind::kCancelled || status.kind() == ErrorKind::kLimitExceeded;
}

// Calls work(i, scratch) for every i below n in the tasks of the pool, and take(i, status of i) on
// the calling thread in the order of i. After each batch of chunks end_batch() is called. An
// external error, an error from take() or one from end_batch() ends the loop and is returned.
template <class Work, class Take, class EndBatch>
Status for_each_loaded(const TaskPool& pool, std::size_t n, const Work& work, const Take& take,
                       const EndBatch& end_batch) {
  // Chunks per task and batch. More of them balance the tasks better, fewer report progress sooner.
  constexpr std::size_t kChunksPerTask = 4;
  std::vector<WorkerScratch> scratch(std::min<std::size_t>(pool.size(), n));
  std::vector<Status> problems(std::min(kChunksPerTask * scratch.size(), n));
  for (std::size_t first = 0; first < n; first += problems.size()) {
    const std::size_t count = std::min(problems.size(), n - first);
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> is_stopped = false;
    pool.run(std::min(scratch.size(), count), [&](std::size_t h) {
      for (std::size_t i = next++; i < count && !is_stopped; i = next++) {
        problems[i] = guarded([&] { return work(first + i, scratch[h]); });
        if (is_external_error(problems[i])) is_stopped = true;
      }
    });
    // Tasks take chunks in order, so chunks that were not begun come after the failed one.
    for (std::size_t i = 0; i < count; ++i) {
      if (is_external_error(problems[i])) return problems[i];
      NUMPACT_TRY(take(first + i, problems[i]));
    }
    NUMPACT_TRY(end_batch());
  }
  return {};
}

}  // namespace numpact::cvc::internal
