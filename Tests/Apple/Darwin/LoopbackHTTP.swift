// Constants of sockets, which are plain integers on Darwin. Compiled with LoopbackHTTP's sources.
let SOCK_STREAM: Int32 = 1
let IPPROTO_TCP: Int32 = 6
let SO_NOSIGPIPE: Int32 = 0x1022
let MSG_PEEK: Int32 = 0x2
let MSG_DONTWAIT: Int32 = 0x80
