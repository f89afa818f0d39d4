// SPDX-License-Identifier: Apache-2.0
#include "api/context.hpp"
#include "base/internal.hpp"
#include "base/owned.hpp"

namespace numpact {

EncodeContext::EncodeContext(std::pmr::memory_resource* memory) : impl_(make_owned<Impl>(memory)) {}

DecodeContext::DecodeContext(std::pmr::memory_resource* memory) : impl_(make_owned<Impl>(memory)) {}

}  // namespace numpact
