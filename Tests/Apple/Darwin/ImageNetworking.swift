// The parts of the C library that ImageNetworking uses and Darwin names differently. Compiled with its sources.
import CalotypeSystem

extension stat {
    var st_mtimespec: timespec { st_mtim }
    var st_ctimespec: timespec { st_ctim }
}
