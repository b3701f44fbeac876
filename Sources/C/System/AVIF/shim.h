#pragma once
#include <stddef.h>
#include <stdio.h>
#include <avif/avif.h>
