// SPDX-License-Identifier: Apache-2.0
#include "simd/targets.hpp"
// After the list of targets.
#include <hwy/highway.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "numpact/cpu.hpp"
#include "simd/cpu_features.hpp"
#include "simd/dispatch.hpp"

namespace numpact {
namespace simd {
namespace {

struct Named {
  std::int64_t target;
  std::string_view name;
};

// Best first. The last one is portable code, which defines what the others must give.
constexpr Named kNamed[] = {
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
    {HWY_PPC8, "ppc8"},
    {HWY_EMU128, "scalar"},
    {HWY_SCALAR, "scalar"},
};

// The index of the best of the targets in a table of NUMPACT_EXPORT.
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

// The named one, or nothing.
std::int64_t usable_target(std::string_view name) {
  for (const Named& named : kNamed) {
    if (named.name == name && (supported_targets() & named.target) != 0) return named.target;
  }
  return 0;
}

class Choice {
 public:
  Choice() {
    const char* const wanted = std::getenv("NUMPACT_TARGET");
    if (wanted != nullptr) std::strncpy(requested_.data(), wanted, requested_.size() - 1);
    if (!force(requested())) choose(supported_targets());
  }

  bool force(std::string_view name) {
    if (name.empty() || name == "auto") {
      choose(supported_targets());
      return true;
    }
    const std::int64_t target = usable_target(name);
    if (target == 0) return false;
    choose(target);
    return true;
  }

  std::size_t index() const { return index_.load(std::memory_order_relaxed); }
  std::int64_t target() const { return target_.load(std::memory_order_relaxed); }
  std::string_view requested() const { return requested_.data(); }

 private:
  void choose(std::int64_t targets) {
    index_ = index_of_best(targets);
    target_ = targets & -targets;  // the best one is the lowest bit
  }

  std::atomic<std::size_t> index_{0};
  std::atomic<std::int64_t> target_{0};
  std::array<char, 64> requested_{};
};

Choice& choice() {
  static Choice the_choice;
  return the_choice;
}

}  // namespace

std::size_t target_index() { return choice().index(); }

}  // namespace simd

std::vector<CpuTarget> cpu_targets() {
  std::vector<CpuTarget> targets;
  for (const simd::Named& named : simd::kNamed) {
    if ((HWY_TARGETS & named.target) == 0) continue;
    targets.push_back({named.name, (simd::supported_targets() & named.target) != 0,
                       simd::choice().target() == named.target});
  }
  return targets;
}

std::string_view active_cpu_target() noexcept {
  for (const simd::Named& named : simd::kNamed) {
    if (simd::choice().target() == named.target) return named.name;
  }
  return "scalar";
}

std::string_view requested_cpu_target() noexcept { return simd::choice().requested(); }

Status try_force_cpu_target(std::string_view name) noexcept {
  if (simd::choice().force(name)) return {};
  return Status(ErrorKind::kInvalidArgument,
                "no such instruction set was compiled in, or the processor lacks it");
}

}  // namespace numpact
