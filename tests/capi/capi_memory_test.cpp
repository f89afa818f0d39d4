// SPDX-License-Identifier: Apache-2.0
// Objects of the C interface live in the memory of their context: with an allocator that works, one
// that fails at any call, and after the context.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <string_view>

#include "api/counting_new.hpp"
#include "numpact/numpact.h"
#include "numpact/numpact.hpp"
#include "support/distributions.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

// An allocator over malloc, so that the calls of operator new are those of the library. Fails from
// the n-th allocation on.
struct Memory {
  static constexpr std::size_t kMaxLive = 1000;
  struct Block {
    void* at = nullptr;
    std::size_t size = 0;
  };
  std::array<Block, kMaxLive> live{};
  std::size_t live_n = 0;
  std::size_t made = 0;
  std::size_t fails_from = SIZE_MAX;

  static void* allocate(void* opaque, std::size_t size, std::size_t alignment) {
    auto& self = *static_cast<Memory*>(opaque);
    if (self.made++ >= self.fails_from || self.live_n == kMaxLive) return nullptr;
    void* memory = nullptr;
    if (::posix_memalign(&memory, std::max(alignment, sizeof(void*)), size) != 0) return nullptr;
    self.live[self.live_n++] = {memory, size};
    return memory;
  }
  static void release(void* opaque, void* memory, std::size_t size, std::size_t) {
    auto& self = *static_cast<Memory*>(opaque);
    const auto end = self.live.begin() + static_cast<std::ptrdiff_t>(self.live_n);
    const auto found =
        std::find_if(self.live.begin(), end, [&](const Block& one) { return one.at == memory; });
    ASSERT_NE(found, end);
    EXPECT_EQ(found->size, size);
    *found = *(end - 1);
    --self.live_n;
    std::free(memory);
  }
  numpact_allocator allocator() { return {sizeof(numpact_allocator), this, allocate, release}; }
};

const Numbers& numbers() {
  static const Numbers made = [] {
    Random random(931);
    return make_numbers("walk", NumberType::kU32, 3000, random);
  }();
  return made;
}

int take_bytes(void*, const void*, std::size_t) { return 0; }
int no_bytes(void*, void*, std::size_t, std::size_t* size) {
  *size = 0;
  return 0;
}

// Makes an object with the context; `destroy` is to be called if the status is NUMPACT_OK.
struct Maker {
  const char* name;
  std::function<numpact_status(numpact_context*, std::function<void()>& destroy)> make;
  bool uses_context = false;  // until it is destroyed
};

template <class T, class F>
numpact_status keep(T* object, numpact_status status, F* destroy_function,
                    std::function<void()>& destroy) {
  destroy = [=] { destroy_function(object); };
  return status;
}

std::vector<Maker> makers() {
  static const Bytes meta = [] {
    return wrapped::ChunkEncoder::create(numbers().view()).value().meta().value();
  }();
  return {
      {"chunk encoder",
       [](numpact_context* context, std::function<void()>& destroy) {
         numpact_chunk_encoder* made = nullptr;
         const numpact_status status = numpact_chunk_encoder_create(
             context, NUMPACT_U32, numbers().data(), numbers().count(), nullptr, &made, nullptr);
         return keep(made, status, numpact_chunk_encoder_destroy, destroy);
       }},
      {"chunk decoder",
       [](numpact_context* context, std::function<void()>& destroy) {
         numpact_chunk_decoder* made = nullptr;
         const numpact_status status = numpact_chunk_decoder_create(
             context, meta.data(), meta.size(), NUMPACT_U32, 4, 1, &made, nullptr);
         return keep(made, status, numpact_chunk_decoder_destroy, destroy);
       }},
      {"recipe from text",
       [](numpact_context* context, std::function<void()>& destroy) {
         numpact_recipe* made = nullptr;
         const numpact_status status =
             numpact_recipe_parse(context, "u32 classic consecutive=1", &made, nullptr);
         return keep(made, status, numpact_recipe_destroy, destroy);
       }},
      {"stream writer",
       [](numpact_context* context, std::function<void()>& destroy) {
         numpact_stream_writer* made = nullptr;
         const numpact_status status = numpact_stream_writer_create(
             context, take_bytes, nullptr, NUMPACT_U32, nullptr, 0, &made, nullptr);
         return keep(made, status, numpact_stream_writer_destroy, destroy);
       },
       true},
      {"stream reader",
       [](numpact_context* context, std::function<void()>& destroy) {
         numpact_stream_reader* made = nullptr;
         const numpact_status status =
             numpact_stream_reader_create(context, no_bytes, nullptr, &made, nullptr);
         return keep(made, status, numpact_stream_reader_destroy, destroy);
       },
       true},
  };
}

// The result of one maker with an allocator that fails from its n-th call on.
numpact_status make_with(const Maker& maker, std::size_t fails_from, bool context_first) {
  Memory memory;
  memory.fails_from = fails_from;
  const numpact_allocator allocator = memory.allocator();
  numpact_context_options options;
  numpact_context_options_init(&options);
  options.allocator = &allocator;
  numpact_context* context = nullptr;
  const long before = allocations;
  numpact_status status = numpact_context_create(&options, &context, nullptr);
  if (status != NUMPACT_OK) {
    EXPECT_EQ(memory.live_n, 0u) << maker.name << " " << fails_from;
    return status;
  }
  EXPECT_EQ(allocations, before) << "the context uses operator new";
  std::function<void()> destroy;
  status = maker.make(context, destroy);
  if (context_first) numpact_context_destroy(context);
  if (status == NUMPACT_OK) destroy();
  if (!context_first) numpact_context_destroy(context);
  EXPECT_EQ(memory.live_n, 0u) << maker.name << " " << fails_from;
  return status;
}

TEST(CMemory, ObjectsComeFromTheAllocator) {
  for (const Maker& maker : makers()) {
    SCOPED_TRACE(maker.name);
    Memory memory;
    const numpact_allocator allocator = memory.allocator();
    numpact_context_options options;
    numpact_context_options_init(&options);
    options.allocator = &allocator;
    numpact_context* context = nullptr;
    ASSERT_EQ(numpact_context_create(&options, &context, nullptr), NUMPACT_OK);
    std::function<void()> destroy;
    ASSERT_EQ(maker.make(context, destroy), NUMPACT_OK);  // fills caches of the C++ library
    destroy();
    const std::size_t made = memory.made;
    const long before = allocations;
    ASSERT_EQ(maker.make(context, destroy), NUMPACT_OK);
    // The test's own functions fit into std::function; text of recipes passes through a string.
    const long own = std::string_view(maker.name).starts_with("recipe") ? 8 : 0;
    EXPECT_LE(allocations - before, own);
    EXPECT_GT(memory.made, made);
    EXPECT_GT(memory.live_n, 0u);
    destroy();
    numpact_context_destroy(context);
    EXPECT_EQ(memory.live_n, 0u);
  }
}

TEST(CMemory, FailuresAreReportedAndLeakNothing) {
  for (const Maker& maker : makers()) {
    SCOPED_TRACE(maker.name);
    std::size_t k = 0;
    for (; k < 1000; ++k) {
      const numpact_status status = make_with(maker, k, false);
      if (status == NUMPACT_OK) break;
      ASSERT_EQ(status, NUMPACT_OUT_OF_MEMORY) << k;
    }
    EXPECT_GT(k, 1u);
    EXPECT_LT(k, 1000u);
  }
}

TEST(CMemory, ObjectsOutliveTheirContext) {
  for (const Maker& maker : makers()) {
    if (maker.uses_context) continue;
    EXPECT_EQ(make_with(maker, SIZE_MAX, true), NUMPACT_OK) << maker.name;
  }
}

}  // namespace
}  // namespace numpact::testing
