// SPDX-License-Identifier: Apache-2.0
// The destructors of the interfaces that callers implement.
#include "numpact/executor.hpp"
#include "numpact/file_access.hpp"
#include "numpact/stream.hpp"

namespace numpact {

Executor::~Executor() = default;
ByteSource::~ByteSource() = default;
ByteSink::~ByteSink() = default;
RangeSource::~RangeSource() = default;
std::optional<std::span<const std::byte>> RangeSource::bytes() const noexcept { return {}; }

}  // namespace numpact
