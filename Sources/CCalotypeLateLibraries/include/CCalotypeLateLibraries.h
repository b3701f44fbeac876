#pragma once

// Shared libraries that this program loads when it first calls them. libcurl and libavif bring fifty others with them, and to
// load and bind those takes most of the time and memory of a command that decodes one JPEG.
//
// The target has functions of the libraries' names, which come before theirs. Linked with --as-needed, as the Makefile does
// it, the program does not name the libraries then; without, it loads them at its start, and all else stays the same.
