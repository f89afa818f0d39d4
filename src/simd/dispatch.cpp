// SPDX-License-Identifier: Apache-2.0
#include "simd/targets.hpp"
// Must follow targets.hpp.
#include <hwy/highway.h>

#include <atomic>

#include "numpact/cpu.hpp"
#include "simd/cpu_features.hpp"
#include "simd/dispatch.hpp"

namespace numpact::internal {
namespace simd {
namespace {

struct NamedTarget {
  std::int64_t target;
  std::string_view name;
};

// Best first. The last is portable code, the reference for the results of all others.
constexpr NamedTarget kNamedTargets[] = {
    {HWY_AVX3_DL, "avx512_vbmi2"},
    {HWY_AVX3, "avx512"},
    {HWY_AVX2, "avx2"},
    {HWY_SSE4, "sse4"},
#ifdef HWY_SSE2
    {HWY_SSE2, "sse2"},
#endif
    {HWY_NEON, "neon"},
#ifdef HWY_NEON_WITHOUT_AES
    {HWY_NEON_WITHOUT_AES, "neon_without_aes"},
#endif
    {HWY_WASM, "wasm"},
#ifdef HWY_PPC10
    {HWY_PPC10, "ppc10"},
#endif
#ifdef HWY_PPC9
    {HWY_PPC9, "ppc9"},
#endif
    {HWY_PPC8, "ppc8"},
#ifdef HWY_Z14
    {HWY_Z15, "z15"},
    {HWY_Z14, "z14"},
#endif
#ifdef HWY_LSX
    {HWY_LASX, "lasx"},
    {HWY_LSX, "lsx"},
#endif
    {HWY_EMU128, "scalar"},
    {HWY_SCALAR, "scalar"},
};

// A target without a name could be active, but neither be listed nor be chosen.
constexpr bool have_names(std::int64_t targets) {
  for (const NamedTarget& named : kNamedTargets) targets &= ~named.target;
  return targets == 0;
}
static_assert(have_names(HWY_TARGETS));

// The index of the best of these targets in a table of NUMPACT_EXPORT.
std::size_t index_of_best(std::int64_t targets) {
#if (HWY_TARGETS & (HWY_TARGETS - 1)) == 0
  static_cast<void>(targets);
  return 0;
#elif HWY_ARCH_X86
  std::size_t index = 0;
  while ((targets & kInOrder[index]) == 0) ++index;
  return index;
#else
  hwy::ChosenTarget chosen;
  chosen.Update(targets);
  return chosen.GetIndex();
#endif
}

// The target with this name if it is supported, else 0.
std::int64_t usable_target(std::string_view name) {
  for (const NamedTarget& named : kNamedTargets) {
    if (named.name == name && (supported_targets() & named.target) != 0) return named.target;
  }
  return 0;
}

class TargetChoice {
 public:
  TargetChoice() { select(supported_targets()); }

  bool force(std::string_view name) {
    if (name.empty() || name == "auto") {
      select(supported_targets());
      return true;
    }
    const std::int64_t target = usable_target(name);
    if (target == 0) return false;
    select(target);
    return true;
  }

  std::size_t index() const { return index_.load(std::memory_order_relaxed); }
  std::int64_t target() const { return target_.load(std::memory_order_relaxed); }

 private:
  void select(std::int64_t targets) {
    index_ = index_of_best(targets);
    target_ = targets & -targets;  // the lowest bit is the best target
  }

  std::atomic<std::size_t> index_{0};
  std::atomic<std::int64_t> target_{0};
};

TargetChoice& target_choice() {
  static TargetChoice choice;
  return choice;
}

}  // namespace

std::size_t target_index() { return target_choice().index(); }

}  // namespace simd
}  // namespace numpact::internal

namespace numpact {

namespace simd = internal::simd;

std::vector<CpuTarget> cpu_targets() {
  std::vector<CpuTarget> targets;
  for (const simd::NamedTarget& named : simd::kNamedTargets) {
    if ((HWY_TARGETS & named.target) == 0) continue;
    targets.push_back({named.name, (simd::supported_targets() & named.target) != 0,
                       simd::target_choice().target() == named.target});
  }
  return targets;
}

std::string_view active_cpu_target() noexcept {
  for (const simd::NamedTarget& named : simd::kNamedTargets) {
    if (simd::target_choice().target() == named.target) return named.name;
  }
  return "scalar";
}

Status force_cpu_target(std::string_view name) noexcept {
  if (simd::target_choice().force(name)) return {};
  return Status(ErrorKind::kInvalidArgument,
                "no such instruction set was compiled in, or the processor lacks it");
}

}  // namespace numpact
