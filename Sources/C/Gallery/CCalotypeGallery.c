// Tests/Fixtures/Generators/make-gallery makes the images. `#embed` adds almost nothing to the time of a build; Swift's
// embedded resources are array literals, which take seconds to compile.
#include "CCalotypeGallery.h"

// `#embed` is C23; Clang of Swift 6.2 and newer supports it as an extension of C17.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t arrow_jpg[] = {
#embed "../../Command/Demo/Images/arrow.jpg"
};
static const uint8_t badge_png[] = {
#embed "../../Command/Demo/Images/badge.png"
};
static const uint8_t chart_png[] = {
#embed "../../Command/Demo/Images/chart.png"
};
static const uint8_t dunes_jpg[] = {
#embed "../../Command/Demo/Images/dunes.jpg"
};
static const uint8_t glass_webp[] = {
#embed "../../Command/Demo/Images/glass.webp"
};
static const uint8_t iris16_png[] = {
#embed "../../Command/Demo/Images/iris16.png"
};
static const uint8_t julia_avif[] = {
#embed "../../Command/Demo/Images/julia.avif"
};
static const uint8_t marble_jpg[] = {
#embed "../../Command/Demo/Images/marble.jpg"
};
static const uint8_t nebula_avif[] = {
#embed "../../Command/Demo/Images/nebula.avif"
};
static const uint8_t plasma10_avif[] = {
#embed "../../Command/Demo/Images/plasma10.avif"
};
static const uint8_t tiles_webp[] = {
#embed "../../Command/Demo/Images/tiles.webp"
};
static const uint8_t voronoi_webp[] = {
#embed "../../Command/Demo/Images/voronoi.webp"
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
