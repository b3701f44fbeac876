// Exact hit ratios of the policies that the cache is compared with.
extension AccessTrace {
    /// The hit ratio of a list in the order of use.
    var hitRatioOfLRU: Double {
        let limit = Int(keys.max() ?? 0) + 1
        var (older, newer) = ([Int32](repeating: -1, count: limit), [Int32](repeating: -1, count: limit))
        var isHeld = [Bool](repeating: false, count: limit)
        var (oldest, newest, count, misses) = (Int32(-1), Int32(-1), 0, 0)
        func unlink(_ key: Int32) {
            let (before, after) = (older[Int(key)], newer[Int(key)])
            if before >= 0 { newer[Int(before)] = after } else { oldest = after }
            if after >= 0 { older[Int(after)] = before } else { newest = before }
        }
        for key in keys {
            if isHeld[Int(key)] {
                unlink(key)
            } else {
                misses += 1
                if count == capacity {
                    isHeld[Int(oldest)] = false
                    unlink(oldest)
                } else {
                    count += 1
                }
            }
            isHeld[Int(key)] = true
            (older[Int(key)], newer[Int(key)]) = (newest, -1)
            if newest >= 0 { newer[Int(newest)] = key } else { oldest = key }
            newest = key
        }
        return 1 - Double(misses) / Double(keys.count)
    }

    /// The hit ratio of a ring whose hand skips the entries that were used since its last pass.
    var hitRatioOfCLOCK: Double {
        var ring: [Int32] = []
        var place = [Int32](repeating: -1, count: Int(keys.max() ?? 0) + 1)
        var isUsed = [Bool](repeating: false, count: capacity)
        var (hand, misses) = (0, 0)
        for key in keys {
            if place[Int(key)] >= 0 {
                isUsed[Int(place[Int(key)])] = true
                continue
            }
            misses += 1
            guard ring.count == capacity else {
                place[Int(key)] = Int32(ring.count)
                ring.append(key)
                continue
            }
            while isUsed[hand] {
                isUsed[hand] = false
                hand = (hand + 1) % ring.count
            }
            place[Int(ring[hand])] = -1
            ring[hand] = key
            place[Int(key)] = Int32(hand)
            hand = (hand + 1) % ring.count
        }
        return 1 - Double(misses) / Double(keys.count)
    }
}
