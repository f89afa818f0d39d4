// SPDX-License-Identifier: Apache-2.0
// The library's own names are in numpact::internal and numpact::cvc::internal, so that public
// headers and the programs that include them have only documented names in numpact. Files that
// implement public names, and tests, include this header to see both.
#pragma once

namespace numpact {
namespace internal {}
using namespace internal;  // NOLINT(google-build-using-namespace)

namespace cvc {
namespace internal {}
using namespace internal;  // NOLINT(google-build-using-namespace)
}  // namespace cvc
}  // namespace numpact
