import Testing

@testable import ImageCaching

@Suite struct AvailableMemoryTests {
    @Test func theDefaultLimitIsAFifthWithinBounds() {
        #expect(MemoryCache.Limits.defaultBytes(available: 1_000_000_000) == 200_000_000)
        #expect(MemoryCache.Limits.defaultBytes(available: 20_000_000) == 10_000_000)
        #expect(MemoryCache.Limits.defaultBytes(available: 64_000_000_000) == 512_000_000)
        #expect((10_000_000...512_000_000).contains(MemoryCache.Limits().maximumBytes))
    }

    @Test func theSmallestLimitOfNestedControlGroupsCounts() {
        let groups = ControlGroups(process: "0::/system.slice/web.service\n")
        let files = [
            "/sys/fs/cgroup/system.slice/web.service/memory.max": "max\n",
            "/sys/fs/cgroup/system.slice/memory.max": "300000000\n",
            "/sys/fs/cgroup/memory.max": "900000000\n",
        ]
        #expect(AvailableMemory.smallest(machine: 8_000_000_000, limits: groups.memoryLimits { files[$0] }) == 300_000_000)
    }

    @Test func theMemoryControllerOfVersion1IsUsedWithoutALimitOfVersion2() {
        let groups = ControlGroups(process: "5:cpu,cpuacct:/x\n4:memory:/docker/25db\n0::/\n")
        let files = ["/sys/fs/cgroup/memory/memory.limit_in_bytes": "100000000\n", "/sys/fs/cgroup/memory.max": "max\n"]
        #expect(AvailableMemory.smallest(machine: 8_000_000_000, limits: groups.memoryLimits { files[$0] }) == 100_000_000)
    }

    @Test(arguments: ["", "garbage", "::", "0::/../../etc", "1:memory", "4:memory:"])
    func withoutReadableControlGroupsTheMachinesMemoryCounts(process: String) {
        let groups = ControlGroups(process: process)
        #expect(AvailableMemory.smallest(machine: 1_000, limits: groups.memoryLimits { _ in "max" }) == 1_000)
        #expect(groups.unified.allSatisfy { !$0.contains("..") })
    }

    @Test func thisMachineHasMemory() {
        #expect(MemoryCache.availableMemory >= 1 << 20)
    }
}
