# thumbnail-peers.py FOLDER WIDTH THREADS Pillow|libvips: makes thumbnails of all JPEGs of a folder in memory, and prints the
# milliseconds. Fails if the library is missing.
import glob, os, sys, time
from concurrent.futures import ThreadPoolExecutor
folder, width, threads, library = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
if library == "libvips":
    # Each thread decodes another file.
    os.environ["VIPS_CONCURRENCY"] = "1"
    import pyvips
    pyvips.cache_set_max(0)
    def thumbnail(path):
        pyvips.Image.thumbnail(path, width).write_to_memory()
else:
    from PIL import Image
    def thumbnail(path):
        with Image.open(path) as image:
            image.draft("RGB", (2 * width, 2 * width))
            image.thumbnail((width, width), Image.LANCZOS, reducing_gap=2.0)
            image.tobytes()
paths = sorted(glob.glob(f"{glob.escape(folder)}/*.jpg"))
began = time.perf_counter()
with ThreadPoolExecutor(threads) as pool:
    list(pool.map(thumbnail, paths))
print((time.perf_counter() - began) * 1e3)
