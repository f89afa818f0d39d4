// SPDX-License-Identifier: Apache-2.0
// The stages of src/pco/latent: walking the codes of tANS, unpacking offsets.
//
// None yet: kernel_page.cpp measures them through whole files that have nothing else in them,
// "codes" (no offsets) and "offsets" (no codes). A stage that calls a kernel goes here: make its
// tables and bits in the beginning, call measure(), and register it below as stage/type/parameter.
#include "kernel_stages.hpp"

namespace numpact::bench {

void register_latent_stages() {}

}  // namespace numpact::bench
