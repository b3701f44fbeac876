#pragma once

// Shared libraries that this program loads when it first calls them. libcurl and libavif bring fifty others with them, and to
// load and bind those would take most of the time and memory of a command that decodes one JPEG. The other codecs' libraries
// are small, but half a dozen of which a picture needs one or two.
//
// The target has functions of the libraries' names, which come before theirs. Linked with --as-needed, as the Makefile does
// it, the program does not name the libraries then; without, it loads them at its start, and all else stays the same.
