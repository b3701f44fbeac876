// The pictures are made by Scripts/make-gallery. `#embed` puts them into the binary at no cost in compile time, where
// Swift's own embedded resources, array literals, take ten seconds for these few files.
#include "CCalotypeGallery.h"

// Standard in C23, and an extension of C17 in every Clang that Swift 6.2 and newer bring.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t arrow_jpg[] = {
#embed "Pictures/arrow.jpg"
};
static const uint8_t badge_png[] = {
#embed "Pictures/badge.png"
};
static const uint8_t chart_png[] = {
#embed "Pictures/chart.png"
};
static const uint8_t dunes_jpg[] = {
#embed "Pictures/dunes.jpg"
};
static const uint8_t glass_webp[] = {
#embed "Pictures/glass.webp"
};
static const uint8_t iris16_png[] = {
#embed "Pictures/iris16.png"
};
static const uint8_t julia_avif[] = {
#embed "Pictures/julia.avif"
};
static const uint8_t marble_jpg[] = {
#embed "Pictures/marble.jpg"
};
static const uint8_t nebula_avif[] = {
#embed "Pictures/nebula.avif"
};
static const uint8_t plasma10_avif[] = {
#embed "Pictures/plasma10.avif"
};
static const uint8_t tiles_webp[] = {
#embed "Pictures/tiles.webp"
};
static const uint8_t voronoi_webp[] = {
#embed "Pictures/voronoi.webp"
};

#define FILE_OF(name, array) {name, array, sizeof array}

static const clt_gallery_file files[] = {
    FILE_OF("arrow.jpg", arrow_jpg),
    FILE_OF("badge.png", badge_png),
    FILE_OF("chart.png", chart_png),
    FILE_OF("dunes.jpg", dunes_jpg),
    FILE_OF("glass.webp", glass_webp),
    FILE_OF("iris16.png", iris16_png),
    FILE_OF("julia.avif", julia_avif),
    FILE_OF("marble.jpg", marble_jpg),
    FILE_OF("nebula.avif", nebula_avif),
    FILE_OF("plasma10.avif", plasma10_avif),
    FILE_OF("tiles.webp", tiles_webp),
    FILE_OF("voronoi.webp", voronoi_webp),
};

size_t clt_gallery_count(void) {
    return sizeof files / sizeof files[0];
}

clt_gallery_file clt_gallery_at(size_t index) {
    return files[index];
}
