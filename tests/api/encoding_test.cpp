// SPDX-License-Identifier: Apache-2.0
// Requests for modes and delta encodings as text.
#include "numpact/encoding.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace numpact {
namespace {

TEST(ModeSpecText, EachFormParses) {
  EXPECT_EQ(parse_mode_spec("auto").value(), ModeSpec::automatic());
  EXPECT_EQ(parse_mode_spec("classic").value(), ModeSpec::classic());
  EXPECT_EQ(parse_mode_spec("int-mult=60").value(), ModeSpec::try_int_mult(60));
  EXPECT_EQ(parse_mode_spec("int-mult=18446744073709551615").value(),
            ModeSpec::try_int_mult(~std::uint64_t{0}));
  EXPECT_EQ(parse_mode_spec("float-mult=0.01").value(), ModeSpec::try_float_mult(0.01));
  EXPECT_EQ(parse_mode_spec("float-mult=-1e-300").value(), ModeSpec::try_float_mult(-1e-300));
  EXPECT_EQ(parse_mode_spec("float-quant=20").value(), ModeSpec::try_float_quant(20));
  EXPECT_EQ(parse_mode_spec("dict").value(), ModeSpec::try_dict());
}

TEST(DeltaSpecText, EachFormParses) {
  EXPECT_EQ(parse_delta_spec("auto").value(), DeltaSpec::automatic());
  EXPECT_EQ(parse_delta_spec("none").value(), DeltaSpec::none());
  EXPECT_EQ(parse_delta_spec("consecutive=7").value(), DeltaSpec::try_consecutive(7));
  EXPECT_EQ(parse_delta_spec("lookback").value(), DeltaSpec::try_lookback());
  EXPECT_EQ(parse_delta_spec("conv1=32").value(), DeltaSpec::try_conv1(32));
}

TEST(SpecText, UnknownFormsHaveNoOffset) {
  for (const char* text : {"", "Auto", "auto=1", "classic=1", "dict=3", "int-mult", "float-mult",
                           "int mult=3", "none", "int-mul=3", "=3"}) {
    const Status status = parse_mode_spec(text).status();
    EXPECT_EQ(status.kind(), ErrorKind::kInvalidArgument) << text;
    EXPECT_EQ(status.offset(), Status::kNoOffset) << text;
  }
  for (const char* text :
       {"", "none=0", "consecutive", "lookback=1", "conv1", "delta", "classic"}) {
    const Status status = parse_delta_spec(text).status();
    EXPECT_EQ(status.kind(), ErrorKind::kInvalidArgument) << text;
    EXPECT_EQ(status.offset(), Status::kNoOffset) << text;
  }
}

TEST(SpecText, BadNumbersAreLocated) {
  for (const char* text : {"int-mult=", "int-mult=-1", "int-mult=1.5", "int-mult= 1",
                           "int-mult=18446744073709551616", "int-mult=1x", "int-mult==1"}) {
    EXPECT_EQ(parse_mode_spec(text).status().offset(), 9u) << text;
  }
  EXPECT_EQ(parse_mode_spec("float-mult=0,01").status().offset(), 11u);
  EXPECT_EQ(parse_mode_spec("float-mult=1e999").status().offset(), 11u);
  EXPECT_EQ(parse_delta_spec("consecutive=-1").status().offset(), 12u);
  EXPECT_EQ(parse_delta_spec("conv1=4294967296").status().offset(), 6u);
}

TEST(SpecText, RoundTrips) {
  for (const ModeSpec& spec :
       {ModeSpec::automatic(), ModeSpec::classic(), ModeSpec::try_int_mult(1),
        ModeSpec::try_int_mult(~std::uint64_t{0}), ModeSpec::try_float_mult(0.1),
        ModeSpec::try_float_mult(-0.0), ModeSpec::try_float_mult(5e-324),
        ModeSpec::try_float_mult(INFINITY), ModeSpec::try_float_quant(52), ModeSpec::try_dict()}) {
    EXPECT_EQ(parse_mode_spec(to_string(spec)).value(), spec) << to_string(spec);
  }
  for (const DeltaSpec& spec :
       {DeltaSpec::automatic(), DeltaSpec::none(), DeltaSpec::try_consecutive(0),
        DeltaSpec::try_consecutive(~0u), DeltaSpec::try_lookback(), DeltaSpec::try_conv1(32)}) {
    EXPECT_EQ(parse_delta_spec(to_string(spec)).value(), spec) << to_string(spec);
  }
  EXPECT_EQ(to_string(ModeSpec::try_float_mult(0.01)), "float-mult=0.01");
}

TEST(SpecText, FormsAreListedOnce) {
  const auto modes = mode_spec_forms();
  EXPECT_EQ(std::vector<std::string>(modes.begin(), modes.end()),
            (std::vector<std::string>{"auto", "classic", "int-mult=BASE", "float-mult=BASE",
                                      "float-quant=K", "dict"}));
  const auto deltas = delta_spec_forms();
  EXPECT_EQ(std::vector<std::string>(deltas.begin(), deltas.end()),
            (std::vector<std::string>{"auto", "none", "consecutive=N", "lookback", "conv1=N"}));
}

TEST(Names, AreThoseOfTheForms) {
  EXPECT_STREQ(to_string(Mode::kFloatQuant), "float-quant");
  EXPECT_STREQ(to_string(Delta::kNone), "none");
  EXPECT_STREQ(to_string(static_cast<Mode>(15)), "unknown");
}

}  // namespace
}  // namespace numpact
