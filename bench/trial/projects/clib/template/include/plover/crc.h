#pragma once
#include "plover/api.h"
PLV_API uint16_t plv_crc16(const uint8_t *in, size_t len);
