# process-peers.py FOLDER RUNS pip|system: prints the milliseconds of processor and elapsed time of all runs of each library
# and task, and nothing for missing libraries. `system` ignores the libvips of pip.
import sys, time
folder, runs, which = sys.argv[1], int(sys.argv[2]), sys.argv[3]
def measure(name, body):
    body()
    cpu, wall = [], []
    for _ in range(runs):
        c, w = time.process_time(), time.perf_counter()
        body()
        cpu.append(time.process_time() - c)
        wall.append(time.perf_counter() - w)
    print(name, *(",".join(str(value * 1e3) for value in values) for values in (cpu, wall)), flush=True)
def read(name):
    """The width, height and pixels of a PPM file with three lines of header."""
    with open(f"{folder}/{name}.ppm", "rb") as file:
        file.readline()
        width, height = map(int, file.readline().split())
        file.readline()
        return width, height, file.read()
large_file, square_file = read("large"), read("square")
try:
    from PIL import Image, ImageFilter
    large = Image.frombytes("RGB", large_file[:2], large_file[2])
    square = Image.frombytes("RGB", square_file[:2], square_file[2])
    if which == "pip":
        measure("Pillow shrink", lambda: large.resize((large.width // 10, large.height // 10), Image.LANCZOS))
        measure("Pillow halve", lambda: large.resize((large.width // 2, large.height // 2), Image.LANCZOS))
        measure("Pillow blur", lambda: square.filter(ImageFilter.GaussianBlur(8)))
except ImportError:
    pass
try:
    if which == "system":
        sys.modules["_libvips"] = None
    import pyvips
    pyvips.cache_set_max(0)
    large = pyvips.Image.new_from_memory(large_file[2], *large_file[:2], 3, "uchar")
    square = pyvips.Image.new_from_memory(square_file[2], *square_file[:2], 3, "uchar")
    vips = f"libvips-{pyvips.version(0)}.{pyvips.version(1)}"
    measure(f"{vips} shrink", lambda: large.reduce(10, 10, kernel="lanczos3").write_to_memory())
    measure(f"{vips} halve", lambda: large.reduce(2, 2, kernel="lanczos3").write_to_memory())
    # The kernel has three sigma, like Calotype's; libvips' default stops at a fifth of the middle weight.
    measure(f"{vips} blur", lambda: square.gaussblur(8, min_ampl=0.0112).write_to_memory())
except (ImportError, OSError):
    pass
