# SPDX-License-Identifier: Apache-2.0
if(NUMPACT_SANITIZE)
  add_compile_options(
    -fsanitize=${NUMPACT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${NUMPACT_SANITIZE})
endif()
