// SPDX-License-Identifier: Apache-2.0
#include "api/describe.hpp"
#include "base/internal.hpp"

namespace numpact {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

ModeInfo mode_info(const ChunkMeta& meta) {
  return std::visit(
      Overloaded{
          [](const Classic&) -> ModeInfo { return ClassicInfo{}; },
          [](const IntMult& mode) -> ModeInfo { return IntMultInfo{mode.base}; },
          [&](const FloatMult& mode) -> ModeInfo { return FloatMultInfo{mode.base(meta.type)}; },
          [](const FloatQuant& mode) -> ModeInfo { return FloatQuantInfo{mode.k}; },
          [&](const Dict& mode) -> ModeInfo {
            return visit_latent(latent_bits(meta.type), [&](auto width) {
              const auto entries = mode.as<decltype(width)>();
              return DictInfo{{entries.begin(), entries.end()}};
            });
          },
      },
      meta.mode);
}

DeltaInfo delta_info(const AnyDelta& any) {
  return std::visit(
      Overloaded{
          [](const NoDelta&) -> DeltaInfo { return NoDeltaInfo{}; },
          [](const Consecutive& delta) -> DeltaInfo { return ConsecutiveInfo{delta.order}; },
          [](const Lookback& delta) -> DeltaInfo {
            return LookbackInfo{delta.window_n_log, delta.state_n_log};
          },
          [](const Conv1& delta) -> DeltaInfo {
            const auto end = delta.weights.begin() + delta.order;
            return Conv1Info{delta.quantization, delta.bias, {delta.weights.begin(), end}};
          },
      },
      any);
}

// The request that would give this mode.
ModeSpec spec_of(const ModeInfo& info) {
  return std::visit(
      Overloaded{
          [](const ClassicInfo&) { return ModeSpec::classic(); },
          [](const IntMultInfo& mode) { return ModeSpec::try_int_mult(mode.base); },
          [](const FloatMultInfo& mode) { return ModeSpec::try_float_mult(mode.base); },
          [](const FloatQuantInfo& mode) { return ModeSpec::try_float_quant(mode.k); },
          [](const DictInfo&) { return ModeSpec::try_dict(); },
      },
      info);
}

DeltaSpec spec_of(const DeltaInfo& info) {
  return std::visit(
      Overloaded{
          [](const NoDeltaInfo&) { return DeltaSpec::none(); },
          [](const ConsecutiveInfo& delta) { return DeltaSpec::try_consecutive(delta.order); },
          [](const LookbackInfo&) { return DeltaSpec::try_lookback(); },
          [](const Conv1Info& delta) {
            return DeltaSpec::try_conv1(static_cast<unsigned>(delta.weights.size()));
          },
      },
      info);
}

}  // namespace

const char* to_string(TrailerState state) noexcept {
  switch (state) {
    case TrailerState::kNone:
      return "none";
    case TrailerState::kSound:
      return "sound";
    case TrailerState::kDamaged:
      return "damaged";
    case TrailerState::kUnrecognised:
      break;
  }
  return "unrecognised";
}

const char* to_string(CandidateOutcome outcome) noexcept {
  switch (outcome) {
    case CandidateOutcome::kTaken:
      return "taken";
    case CandidateOutcome::kLarger:
      return "larger";
    case CandidateOutcome::kFar:
      return "far";
    case CandidateOutcome::kNear:
      return "near";
    case CandidateOutcome::kNotRepetitive:
      return "not repetitive";
    case CandidateOutcome::kDecodesSlowly:
      return "decodes slowly";
  }
  return "unknown";
}

const char* to_string(LatentVariable variable) noexcept {
  switch (variable) {
    case LatentVariable::kDelta:
      return "delta";
    case LatentVariable::kPrimary:
      return "primary";
    case LatentVariable::kSecondary:
      return "secondary";
  }
  return "unknown";
}

std::string ChunkInfo::mode_text() const { return to_string(spec_of(mode_info)); }

std::string ChunkInfo::delta_text() const { return to_string(spec_of(delta_info)); }

std::uint64_t described_bytes(const ChunkMeta& meta) {
  constexpr std::uint64_t kAllocationBytes = 32;  // approximate allocator overhead per allocation
  // Lists grow by doubling.
  std::uint64_t bytes = 2 * sizeof(ChunkInfo) + kAllocationBytes;
  for (std::size_t index = 0; index < kVariables; ++index) {
    if (!meta.has(index)) continue;
    bytes += 2 * (sizeof(LatentVariableInfo) + kAllocationBytes);
    bytes += meta.variables[index].bins.size() * sizeof(BinInfo) + kAllocationBytes;
  }
  if (std::holds_alternative<Dict>(meta.mode)) {
    bytes += std::get<Dict>(meta.mode).count * sizeof(std::uint64_t);
  }
  return bytes;
}

ChunkInfo describe(const ChunkMeta& meta) {
  ChunkInfo info;
  info.type = meta.type;
  info.mode_info = mode_info(meta);
  info.delta_info = delta_info(meta.delta);
  for (std::size_t index = 0; index < kVariables; ++index) {
    if (!meta.has(index)) continue;
    const Binning& binning = meta.variables[index];
    LatentVariableInfo variable;
    variable.variable = static_cast<LatentVariable>(index);
    variable.latent_bits = binning.latent_bits;
    variable.ans_size_log = binning.ans_size_log;
    variable.delta_encoded = meta.is_delta_encoded(index);
    variable.meta_bits = binning_bits(binning);
    variable.bins.reserve(binning.bins.size());
    for (const Bin& bin : binning.bins) {
      variable.bins.push_back({bin.weight, bin.lower, bin.offset_bits});
    }
    info.variables.push_back(std::move(variable));
  }
  return info;
}

}  // namespace numpact
