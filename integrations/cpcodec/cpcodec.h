/* SPDX-License-Identifier: Apache-2.0 */
/* Number types and functions of the reference's C binding, provided by numpact. */
#ifndef CPCODEC_H
#define CPCODEC_H

#include <stddef.h>

#include "cpcodec_generated.h"

#define PCO_TYPE_U32 1
#define PCO_TYPE_U64 2
#define PCO_TYPE_I32 3
#define PCO_TYPE_I64 4
#define PCO_TYPE_F32 5
#define PCO_TYPE_F64 6
#define PCO_TYPE_U16 7
#define PCO_TYPE_I16 8
#define PCO_TYPE_F16 9
#define PCO_TYPE_U8 10
#define PCO_TYPE_I8 11

#endif
