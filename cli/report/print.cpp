// SPDX-License-Identifier: Apache-2.0
#include "report/print.hpp"

#include "io/output_file.hpp"
#include "text/printable.hpp"

namespace numpact::cli {

void print_report(std::string_view text) {
  OutputFile out("-", false, Content::kText);
  out.put(printable(text));
  out.commit();
}

}  // namespace numpact::cli
