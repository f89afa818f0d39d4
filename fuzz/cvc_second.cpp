// SPDX-License-Identifier: Apache-2.0
// The library and the second reader say the same of any file of vectors.
#include "common/draw.hpp"
#include "common/guarded_buffer.hpp"
#include "common/patch.hpp"
#include "common/vectors.hpp"
#include "second/compare.hpp"

namespace numpact::fuzz {
namespace {

constexpr std::uint64_t kMaxSecondBytes = 1 << 17;  // bytes of values

void require_same(ByteSpan bytes) {
  const testing::Comparison comparison = testing::compare_cvc(guarded(bytes), kMaxSecondBytes);
  if (comparison.limited || comparison.difference.empty()) return;
  fail(__FILE__, __LINE__, comparison.difference.c_str());
}

void run_cvc_second(ByteSpan input) {
  Draw draw(input);
  if (draw.one_in(4)) return require_same(draw.rest());
  std::optional<VectorFile> file = draw_vectors(draw);
  if (!file) return;
  patch(draw, file->bytes, 6);
  if (!draw.one_in(8)) repair_checksums(file->bytes);
  require_same(file->bytes);
}

NUMPACT_FUZZ_TARGET(cvc_second, run_cvc_second)

}  // namespace
}  // namespace numpact::fuzz
