import Calotype
import Foundation
import Testing

/// The defaults that the documentation of each property names. A caller relies on them without a line of code.
@Suite struct Defaults {
    /// The plain values among the stored properties, as `name value`, without plug-ins, closures and nested values.
    private func values(of subject: Any, without names: Set<String> = []) -> [String] {
        Mirror(reflecting: subject).children.compactMap { child in
            guard let name = child.label, !names.contains(name) else { return nil }
            let isPlain =
                switch Mirror(reflecting: child.value).displayStyle {
                case .enum: true
                case .optional: Mirror(reflecting: child.value).children.isEmpty
                default:
                    child.value is Int || child.value is Double || child.value is Bool || child.value is Duration
                        || child.value is String
                }
            return isPlain ? "\(name) \(child.value)" : nil
        }
    }

    @Test func aDecodeGivesTheUprightFirstFrameIn8BitSRGB() {
        #expect(
            values(of: DecodeOptions()) == [
                "targetSize nil", "contentMode fit", "appliesOrientation true", "convertsToSRGB true", "convertsTo8Bit true",
                "alpha premultiplied", "allowsPartial false", "frame 0", "cancellation nil",
            ])
        #expect(
            values(of: DecodingLimits()) == [
                "pixels 268435456", "imageBytes 1073741824", "frames 10000", "scans 500", "metadataBytes 16777216",
            ])
    }

    @Test func anEncoderChoosesWhatIsNotSet() {
        #expect(
            values(of: EncodeOptions()) == [
                "quality 85", "effort nil", "chroma nil", "isProgressive nil", "isLossless nil", "orientation up",
                "cancellation nil",
            ])
    }

    @Test func theLimitsOfALoaderAreThoseOfTheGuide() {
        // Two of them follow from the machine.
        #expect(
            values(of: ImageLoader.Limits(), without: ["workers", "maximumResponseBytes"]) == [
                "fetches 32", "fetchesPerHost 6", "localReads 8", "maximumStoredBytes 67108864",
                "concurrentDecodeBytes 512000000", "animationBytes 64000000",
            ])
        #expect(ImageLoader.Limits().maximumResponseBytes == ResponseLimit.standard)
    }

    @Test func cachesKeepEntriesForAMonthWithin400Megabytes() {
        #expect(
            values(of: DiskCache.Limits()) == [
                "maximumBytes 400000000", "minimumBytes 10000000", "maximumCount nil", "timeToLive 2592000.0 seconds",
                "freedShare 0.2",
            ])
        #expect(
            values(of: MemoryCache.Limits(), without: ["maximumBytes"]) == [
                "maximumCount nil", "maximumEntryBytes nil", "timeToLive nil",
            ])
        #expect(
            values(of: TieredDataCache.Policy()) == [
                "writesShared true", "promotes true", "removesShared true", "maximumSharedBytes nil",
            ])
        #expect(
            values(of: HTTPCachePolicy()) == [
                "mode standard", "heuristicFraction 0.1", "heuristicLimit 86400.0 seconds",
                "maximumErrorLifetime 300.0 seconds", "servesStaleOffline true",
            ])
    }

    @Test func requestsAreRetriedAndHostsPausedAsDocumented() throws {
        #expect(
            values(of: RetryPolicy.default) == [
                "maximumRetries 3", "baseDelay 1.0 seconds", "multiplier 2.0", "jitter 0.25", "maximumDelay 60.0 seconds",
            ])
        #expect(
            values(of: RetryPolicy.aggressive) == [
                "maximumRetries 5", "baseDelay 0.5 seconds", "multiplier 1.5", "jitter 0.25", "maximumDelay 60.0 seconds",
            ])
        #expect(
            values(of: RetryPolicy.conservative) == [
                "maximumRetries 2", "baseDelay 2.0 seconds", "multiplier 3.0", "jitter 0.25", "maximumDelay 60.0 seconds",
            ])
        #expect(
            values(of: HostBackoff.Policy()) == [
                "failureThreshold 5", "baseDelay 0.25 seconds", "maximumDelay 2.0 seconds", "maximumWait 60.0 seconds",
            ])
        let url = try #require(URL(string: "https://example.org/a.png"))
        #expect(
            values(of: DataRequest(url: url)).filter { !$0.hasSuffix(" nil") } == [
                "timeout 30.0 seconds", "defersStoring false", "priority normal", "allowsExpensiveNetwork true",
                "purpose plain",
            ])
    }

    @Test func aPolicyForSourcesAllowsTheWebOnPublicAddresses() {
        let policy = SourcePolicy()
        #expect(policy.schemes == ["http", "https"] && policy.hosts == nil && policy.ports == nil)
        #expect(!policy.allowsPrivateAddresses)
        #expect(SourcePolicy.publicWeb.ports == [80, 443, 8080, 8443] && SourcePolicy.publicWeb.hosts == nil)
    }

    @Test func countsAndTimesBeginAtZero() {
        let zero = "0.0 seconds"
        #expect(
            values(of: CacheStatistics(name: "disk")) == [
                "name disk", "hits 0", "misses 0", "stores 0", "refusals 0", "failures 0", "count 0", "byteCount 0",
                "fileByteCount 0",
            ])
        #expect(values(of: CacheStatistics(name: "disk").evictions).allSatisfy { $0.hasSuffix(" 0") })
        #expect(CacheStatistics(name: "disk").evictions.total == 0 && CacheStatistics(name: "disk").hitRatio == nil)
        #expect(
            values(of: LoadMetrics()) == ["byteCount 0", "isCoalesced false", "retries 0"]
                + ["total", "waiting", "processedCache", "originalCache", "network", "decode", "process", "encode"]
                .map { "\($0) \(zero)" })
        #expect(
            values(of: TransferTiming())
                == ["nameLookup", "connect", "tlsHandshake", "firstByte"].map { "\($0) \(zero)" } + ["isReused false"])
        #expect(
            values(of: ImageLoader.Loads()) + values(of: ImageLoader.Bytes())
                == ["active", "finished", "failed", "cancelled", "coalesced", "retries", "fetched", "savedByCache"]
                .map { "\($0) 0" } + ["savedByCoalescing 0"])
    }

    @Test func theStandardLoaderStoresResumesAndServesStaleImages() {
        let configuration = StandardConfiguration()
        #expect(
            values(of: configuration).filter { !$0.hasSuffix(" nil") } == [
                "resumesDownloads true", "whenOffline serveStale", "previewInterval 0.5 seconds",
            ])
        #expect(configuration.retryPolicy == .default && configuration.hostBackoff == HostBackoff.Policy())
        #expect(configuration.httpCachePolicy == .standard && configuration.processedFormat == .png)
        #expect(configuration.memoryCache is MemoryCache && configuration.dataCache is DiskCache)
        #expect(configuration.network == nil && configuration.bandwidthLimit == nil && configuration.sourcePolicy == nil)
        #expect(configuration.schemes.isEmpty && configuration.decoders.isEmpty && configuration.encoders.isEmpty)
        #expect(configuration.interceptors.isEmpty && configuration.networkInterceptors.isEmpty)
        #expect(configuration.observers.isEmpty && configuration.options.isEmpty)
    }
}
