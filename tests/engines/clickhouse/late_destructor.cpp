// SPDX-License-Identifier: Apache-2.0
// A thread's object of the host that is destroyed after the context of the thread: it was made
// before. Its destructor compresses.
#include <pco.h>

#include <cstdint>

namespace {

struct Late {
  ~Late() {
    const std::uint32_t numbers[4] = {1, 2, 3, 4};
    std::uint8_t file[64];
    std::uint64_t size = 0;
    pco_compress(PCO_U32, reinterpret_cast<const std::uint8_t*>(numbers), 4, 8, file, sizeof file,
                 &size);
    if (size == 0) __builtin_abort();
  }
  int touched = 0;
};

thread_local Late late;

}  // namespace

extern "C" void make_late_object(void) { late.touched = 1; }
