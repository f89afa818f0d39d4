// SPDX-License-Identifier: Apache-2.0
// Every chunk of a file, without keeping what is in it.
#ifndef NUMPACT_CVC_FILE_VERIFY_HPP
#define NUMPACT_CVC_FILE_VERIFY_HPP

#include "cvc/file/records.hpp"
#include "numpact/cvc/read_config.hpp"

namespace numpact::cvc {

// All that Reader::try_verify does.
Status verify_chunks(const Records& records, const ReadConfig& config, VerifyReport& report);

}  // namespace numpact::cvc

#endif
