// SPDX-License-Identifier: Apache-2.0
// Least squares through the normal equations of the centred latents, solved by Cholesky's method;
// then the weights are made whole numbers at the finest quantization that cannot overflow.
#include "pco/choose/conv1_fit.hpp"

#include <array>
#include <cmath>

#include "pco/mode/split.hpp"

namespace numpact {
namespace {

// Latents that a fit looks at.
constexpr std::size_t kFitN = std::size_t{1} << 16;

constexpr std::size_t kMost = kMaxConv1Order;
using Vector = std::array<double, kMost>;
using Matrix = std::array<Vector, kMost>;

struct Equations {
  Matrix products{};  // of the histories' latents with each other
  Vector targets{};   // with the latent to predict
  double mean = 0;
};

template <Latent L>
Equations set_up(std::span<const L> latents, unsigned order) {
  Equations equations;
  double sum = 0;
  for (const L latent : latents) sum += static_cast<double>(latent);
  equations.mean = sum / static_cast<double>(latents.size());
  Vector history{};
  for (std::size_t i = order; i < latents.size(); ++i) {
    for (unsigned j = 0; j < order; ++j) {
      history[j] = static_cast<double>(latents[i - order + j]) - equations.mean;
    }
    const double target = static_cast<double>(latents[i]) - equations.mean;
    for (unsigned j = 0; j < order; ++j) {
      equations.targets[j] += history[j] * target;
      for (unsigned k = 0; k <= j; ++k) equations.products[j][k] += history[j] * history[k];
    }
  }
  return equations;
}

// False if the equations have no single solution.
bool solve(Equations& equations, unsigned order, Vector& weights) {
  Matrix& m = equations.products;
  double trace = 0;
  for (unsigned j = 0; j < order; ++j) trace += m[j][j];
  if (!(trace > 0)) return false;
  // A little weight on the diagonal keeps nearly equal histories apart.
  for (unsigned j = 0; j < order; ++j) m[j][j] += 1e-9 * trace;
  for (unsigned j = 0; j < order; ++j) {
    for (unsigned k = 0; k <= j; ++k) {
      double sum = m[j][k];
      for (unsigned i = 0; i < k; ++i) sum -= m[j][i] * m[k][i];
      if (k < j) {
        m[j][k] = sum / m[k][k];
      } else {
        if (!(sum > 0)) return false;
        m[j][j] = std::sqrt(sum);
      }
    }
  }
  for (unsigned j = 0; j < order; ++j) {
    double sum = equations.targets[j];
    for (unsigned i = 0; i < j; ++i) sum -= m[j][i] * weights[i];
    weights[j] = sum / m[j][j];
  }
  for (unsigned j = order; j-- > 0;) {
    double sum = weights[j];
    for (unsigned i = j + 1; i < order; ++i) sum -= m[i][j] * weights[i];
    weights[j] = sum / m[j][j];
  }
  return true;
}

bool quantize(const Vector& weights, double bias, unsigned quantization, unsigned bits,
              Conv1& conv) {
  conv.quantization = quantization;
  const auto scale = [&](double value) {
    return std::ldexp(value, static_cast<int>(quantization));
  };
  for (unsigned j = 0; j < conv.order; ++j) {
    const double scaled = std::rint(scale(weights[j]));
    if (!(std::abs(scaled) < 0x1p31)) return false;
    conv.weights[j] = static_cast<std::int32_t>(scaled);
  }
  // Half a unit more, since predictions are rounded down.
  const double scaled_bias = std::rint(scale(bias + 0.5));
  if (!(std::abs(scaled_bias) < 0x1p62)) return false;
  conv.bias = static_cast<std::int64_t>(scaled_bias);
  return conv.is_valid(bits);
}

template <Latent L>
AnyDelta fit(std::span<const L> latents, unsigned order) {
  if (latents.size() <= 2 * std::size_t{order}) return NoDelta{};
  const std::size_t n = std::min(latents.size(), kFitN);
  Equations equations = set_up(latents.subspan((latents.size() - n) / 2, n), order);
  Vector weights{};
  if (!solve(equations, order, weights)) return NoDelta{};
  double sum = 0;
  for (unsigned j = 0; j < order; ++j) sum += weights[j];
  const double bias = equations.mean * (1 - sum);
  Conv1 conv;
  conv.order = order;
  for (unsigned quantization = kMaxConv1Quantization + 1; quantization-- > 0;) {
    if (quantize(weights, bias, quantization, kBits<L>, conv)) return conv;
  }
  return NoDelta{};
}

}  // namespace

AnyDelta fit_conv1(const AnyMode& mode, const LatentArray& ordered, unsigned order, Arena& arena) {
  const ArenaScope scratch(arena);
  return split(mode, ordered, arena).primary.visit([&](auto latents) -> AnyDelta {
    using L = typename decltype(latents)::value_type;
    if constexpr (sizeof(L) > 4) {
      return NoDelta{};
    } else {
      return fit<L>(latents, order);
    }
  });
}

}  // namespace numpact
