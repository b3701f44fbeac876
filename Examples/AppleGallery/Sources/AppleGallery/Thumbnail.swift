import Calotype

let loader = ImageLoader.standard { $0.limits.concurrentDecodeBytes = 256_000_000 }
let thumbnail = [.resize(width: 120)] as [any Processing]
