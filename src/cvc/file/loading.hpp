// SPDX-License-Identifier: Apache-2.0
// Work on chunks that are loaded by those who do it.
#ifndef NUMPACT_CVC_FILE_LOADING_HPP
#define NUMPACT_CVC_FILE_LOADING_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <vector>

#include "base/guard.hpp"
#include "base/task_pool.hpp"
#include "base/try.hpp"
#include "cvc/file/loader.hpp"

namespace numpact::cvc {

// What a task keeps from chunk to chunk.
struct Hand {
  Buffer buffer;
  std::vector<Window> windows;
};

// Nothing that the bytes of a chunk are to blame for.
inline bool is_outside(const Status& status) {
  return status.kind() == ErrorKind::kIo || status.kind() == ErrorKind::kOutOfMemory ||
         status.kind() == ErrorKind::kCancelled || status.kind() == ErrorKind::kLimitExceeded;
}

// work(i, hand) for every i below n, by the pool; then take(i, its status) in order. Statuses of
// problems outside end it, as do those that take() gives, and end_wave(), which comes after some.
template <class Work, class Take, class EndWave>
Status for_each_loaded(const TaskPool& pool, std::size_t n, const Work& work, const Take& take,
                       const EndWave& end_wave) {
  constexpr std::size_t kEach = 4;  // to be done before the next look at progress
  std::vector<Hand> hands(std::min<std::size_t>(pool.size(), n));
  std::vector<Status> problems(std::min(kEach * hands.size(), n));
  for (std::size_t first = 0; first < n; first += problems.size()) {
    const std::size_t count = std::min(problems.size(), n - first);
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> is_over = false;
    pool.run(std::min(hands.size(), count), [&](std::size_t h) {
      for (std::size_t i = next++; i < count && !is_over; i = next++) {
        problems[i] = guarded([&] { return work(first + i, hands[h]); });
        if (is_outside(problems[i])) is_over = true;
      }
    });
    // Those that were not begun come behind the one that ended it.
    for (std::size_t i = 0; i < count; ++i) {
      if (is_outside(problems[i])) return problems[i];
      NUMPACT_TRY(take(first + i, problems[i]));
    }
    NUMPACT_TRY(end_wave());
  }
  return {};
}

}  // namespace numpact::cvc

#endif
