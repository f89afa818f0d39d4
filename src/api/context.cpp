// SPDX-License-Identifier: Apache-2.0
#include "api/context.hpp"
#include "base/internal.hpp"

namespace numpact {

EncodeContext::EncodeContext(std::pmr::memory_resource* memory)
    : impl_(std::make_unique<Impl>(memory)) {}
EncodeContext::~EncodeContext() = default;
EncodeContext::EncodeContext(EncodeContext&&) noexcept = default;
EncodeContext& EncodeContext::operator=(EncodeContext&&) noexcept = default;

DecodeContext::DecodeContext(std::pmr::memory_resource* memory)
    : impl_(std::make_unique<Impl>(memory)) {}
DecodeContext::~DecodeContext() = default;
DecodeContext::DecodeContext(DecodeContext&&) noexcept = default;
DecodeContext& DecodeContext::operator=(DecodeContext&&) noexcept = default;

}  // namespace numpact
