#pragma once
#include <stddef.h>
#include <stdint.h>
#include "plover/gen/codes.h"
#include "plover/gen/version.h"
#define PLV_API extern
