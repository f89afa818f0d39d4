// SPDX-License-Identifier: Apache-2.0
#include "api/describe.hpp"

#include <array>
#include <charconv>

namespace numpact {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

void describe_mode(const ChunkMeta& meta, ChunkInfo& info) {
  info.mode = static_cast<Mode>(family_tag(meta.mode));
  std::visit(Overloaded{
                 [](const Classic&) {},
                 [&](const IntMult& mode) { info.int_mult_base = mode.base; },
                 [&](const FloatMult& mode) { info.float_mult_base = mode.base(meta.type); },
                 [&](const FloatQuant& mode) { info.float_quant_k = mode.k; },
                 [&](const Dict& mode) {
                   visit_latent(latent_bits(meta.type), [&](auto width) {
                     const auto entries = mode.as<decltype(width)>();
                     info.dict.assign(entries.begin(), entries.end());
                   });
                 },
             },
             meta.mode);
}

void describe_delta(const ChunkMeta& meta, ChunkInfo& info) {
  info.delta = static_cast<Delta>(family_tag(meta.delta));
  std::visit(Overloaded{
                 [](const NoDelta&) {},
                 [&](const Consecutive& delta) { info.delta_order = delta.order; },
                 [&](const Lookback& delta) {
                   info.window_n_log = delta.window_n_log;
                   info.state_n_log = delta.state_n_log;
                 },
                 [&](const Conv1& delta) {
                   info.delta_order = delta.order;
                   info.conv1_quantization = delta.quantization;
                   info.conv1_bias = delta.bias;
                   info.conv1_weights.assign(delta.weights.begin(),
                                             delta.weights.begin() + delta.order);
                 },
             },
             meta.delta);
}

std::string number_text(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

}  // namespace

const char* to_string(Mode mode) noexcept {
  switch (mode) {
    case Mode::kClassic:
      return "classic";
    case Mode::kIntMult:
      return "int-mult";
    case Mode::kFloatMult:
      return "float-mult";
    case Mode::kFloatQuant:
      return "float-quant";
    case Mode::kDict:
      return "dict";
  }
  return "unknown";
}

const char* to_string(Delta delta) noexcept {
  switch (delta) {
    case Delta::kNone:
      return "none";
    case Delta::kConsecutive:
      return "consecutive";
    case Delta::kLookback:
      return "lookback";
    case Delta::kConv1:
      return "conv1";
  }
  return "unknown";
}

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

std::string ChunkInfo::mode_text() const {
  const std::string name = to_string(mode);
  switch (mode) {
    case Mode::kIntMult:
      return name + "=" + std::to_string(int_mult_base);
    case Mode::kFloatMult:
      return name + "=" + number_text(float_mult_base);
    case Mode::kFloatQuant:
      return name + "=" + std::to_string(float_quant_k);
    case Mode::kClassic:
    case Mode::kDict:
      return name;
  }
  return name;
}

std::string ChunkInfo::delta_text() const {
  const std::string name = to_string(delta);
  const bool has_order = delta == Delta::kConsecutive || delta == Delta::kConv1;
  return has_order ? name + "=" + std::to_string(delta_order) : name;
}

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
  describe_mode(meta, info);
  describe_delta(meta, info);
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
