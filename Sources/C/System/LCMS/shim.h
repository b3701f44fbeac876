#pragma once
#include <stddef.h>
#include <stdio.h>
#include <lcms2.h>
