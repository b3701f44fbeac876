// scroll-peer gdk-pixbuf|GdkTexture FOLDER COLUMNS WIDTH ROWS: decodes photo-N.jpg for each cell of each row that the
// file ROWS names, as an application without an image loader does, and prints the milliseconds of each row.
#include <gtk/gtk.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **words) {
    if (count != 6) return 2;
    int columns = atoi(words[3]), width = atoi(words[4]);
    gboolean scales = strcmp(words[1], "gdk-pixbuf") == 0;
    FILE *rows = fopen(words[5], "r");
    if (columns <= 0 || columns > 64 || width <= 0 || !rows) return 2;
    // The cells of the last rows keep their images, as many as a window shows.
    enum { VISIBLE = 6 };
    GdkTexture *shown[VISIBLE][64] = {{0}};
    int row;
    for (int step = 0; fscanf(rows, "%d", &row) == 1; step++) {
        gint64 began = g_get_monotonic_time();
        for (int column = 0; column < columns; column++) {
            char *path = g_strdup_printf("%s/photo-%d.jpg", words[2], row * columns + column);
            GdkTexture *texture = NULL;
            if (scales) {
                GdkPixbuf *pixels = gdk_pixbuf_new_from_file_at_scale(path, width, width, TRUE, NULL);
                texture = pixels ? gdk_texture_new_for_pixbuf(pixels) : NULL;
                g_clear_object(&pixels);
            } else {
                texture = gdk_texture_new_from_filename(path, NULL);
            }
            g_free(path);
            if (!texture) return 1;
            g_clear_object(&shown[step % VISIBLE][column]);
            shown[step % VISIBLE][column] = texture;
        }
        printf("%.4f\n", (double)(g_get_monotonic_time() - began) / 1e3);
    }
    fclose(rows);
    return 0;
}
