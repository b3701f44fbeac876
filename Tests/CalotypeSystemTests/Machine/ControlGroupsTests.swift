import CalotypeSystem
import Testing

@Suite struct ControlGroupsTests {
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

    @Test func theLeastProcessorTimeOfNestedControlGroupsCounts() {
        let groups = ControlGroups(process: "0::/system.slice/web.service\n")
        let files = [
            "/sys/fs/cgroup/system.slice/web.service/cpu.max": "max 100000\n",
            "/sys/fs/cgroup/system.slice/cpu.max": "250000 100000\n",
            "/sys/fs/cgroup/cpu.max": "400000 100000\n",
        ]
        let limits = groups.processorLimits { files[$0] }
        #expect(limits == [nil, 2.5, 4])
        #expect(ProcessorCount.usable(processors: 64, limits: limits) == 3)
        #expect(ProcessorCount.usable(processors: 2, limits: limits) == 2)
    }

    @Test func theProcessorControllerOfVersion1IsRead() {
        let groups = ControlGroups(process: "5:cpu,cpuacct:/docker/25db\n0::/\n")
        let files = [
            "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "50000\n", "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            "/sys/fs/cgroup/cpu/docker/25db/cpu.cfs_quota_us": "-1\n",
            "/sys/fs/cgroup/cpu/docker/25db/cpu.cfs_period_us": "100000\n",
        ]
        #expect(ProcessorCount.usable(processors: 64, limits: groups.processorLimits { files[$0] }) == 1)
    }

    @Test(arguments: ["", "max", "100", "0 0", "100000 0", "-1 100000", "x y", "nan nan", "inf 1", "1 2 3"])
    func withoutAReadableLimitAllProcessorsCount(text: String) {
        let limits = ControlGroups(process: "0::/\n").processorLimits { _ in text }
        #expect(ProcessorCount.usable(processors: 8, limits: limits) == 8)
    }

    @Test func theProcessorsThatTheProcessMayRunOnCount() {
        #expect(ProcessorCount.runnable(status: "Name:\tx\nCpus_allowed:\tff,00000005\nCpus_allowed_list:\t0,2,32-39\n") == 10)
        for text in ["", "Cpus_allowed_list:\t0", "Cpus_allowed:\t0\n", "Cpus_allowed:"] {
            #expect(ProcessorCount.runnable(status: text) == nil)
        }
    }

    @Test func thereIsAlwaysAProcessor() {
        #expect(ProcessorCount.usable(processors: -1, limits: []) == 1)
        #expect(ProcessorCount.usable(processors: 8, limits: [1e-9]) == 1)
        #expect(ProcessorCount.usable >= 1)
    }

    @Test func thisMachineHasMemory() {
        #expect(AvailableMemory.current() >= 1 << 20)
    }
}
