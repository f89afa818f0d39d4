// SPDX-License-Identifier: Apache-2.0
// fast_log2 on vectors. Performs the same operations in the same order, so every target computes
// the same bits. Included once per target.
#if defined(NUMPACT_PCO_STATS_LOG2_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef NUMPACT_PCO_STATS_LOG2_INL_HPP
#undef NUMPACT_PCO_STATS_LOG2_INL_HPP
#else
#define NUMPACT_PCO_STATS_LOG2_INL_HPP
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

// log2(2^exponents * m), with m in [1, 2).
template <class DF>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<DF> Log2Of(DF df, hwy::HWY_NAMESPACE::Vec<DF> exponents,
                                              hwy::HWY_NAMESPACE::Vec<DF> m) {
  namespace hn = hwy::HWY_NAMESPACE;
  auto q = hn::Sub(hn::Mul(hn::Set(df, 0.0453004f), m), hn::Set(df, 0.2861662f));
  q = hn::Add(hn::Mul(q, m), hn::Set(df, 0.7053137f));
  q = hn::Sub(hn::Mul(q, m), hn::Set(df, 0.9066997f));
  const auto one = hn::Set(df, 1.0f);
  const auto two = hn::Set(df, 2.0f);
  const auto curve = hn::Add(one, hn::Mul(hn::Sub(m, two), q));
  return hn::Add(exponents, hn::Mul(hn::Sub(m, one), curve));
}

// log2 of positive, normal floats.
template <class DF>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<DF> Log2(DF df, hwy::HWY_NAMESPACE::Vec<DF> x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToUnsigned<DF> du;
  const hn::RebindToSigned<DF> di;
  const auto bits = hn::BitCast(du, x);
  const auto exponents =
      hn::ConvertTo(df, hn::Sub(hn::BitCast(di, hn::ShiftRight<23>(bits)), hn::Set(di, 127)));
  const auto m =
      hn::BitCast(df, hn::Or(hn::And(bits, hn::Set(du, 0x7fffffu)), hn::Set(du, 0x3f800000u)));
  return Log2Of(df, exponents, m);
}

}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();

#endif
