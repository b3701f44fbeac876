#if os(Linux)
    import ImageCore
    import Testing

    @testable import ImageCaching

    import CalotypeSystem

    /// The disk cache on a real file system that is small or read-only, and in a directory of another user. Needs
    /// permission to mount and to change the user.
    @Suite(.enabled(if: Mount.isPossible, "Mounting needs permission that this process does not have."), .timeLimit(.minutes(1)))
    struct DiskCacheSystemTests {
        @Test func aFullFileSystemLosesEntriesWithOneWarningUntilThereIsSpaceAgain() async throws {
            let mount = try #require(try Mount(bytes: 1 << 20))
            let warnings = Warnings()
            let cache = mount.folder.cache(.init(maximumBytes: 10_000_000, minimumBytes: 0), warnings: warnings)
            for i in 0..<60 {
                try await cache.store(entry(i, count: 50_000), for: dataKey(i))
                try? await cache.flush()
            }
            var kept = 0
            for i in 0..<60 {
                guard let found = try await cache.entry(for: dataKey(i)) else { continue }
                #expect(found.data == content(i, count: 50_000))
                kept += 1
            }
            // A megabyte holds at most twenty entries.
            #expect((1...20).contains(kept))
            #expect(warnings.kinds == [.writeFailed])
            #expect(warnings.messages.first?.contains(SystemError.text(ENOSPC)) == true)
            #expect(await cache.statistics.refusals >= 40)
            try await cache.trim(toBytes: 0)
            try await cache.store(entry(99), for: dataKey("after"))
            try await cache.flush()
            #expect(try await mount.folder.cache().entry(for: dataKey("after"))?.data == content(99))
        }

        @Test func onAReadOnlyFileSystemEntriesAreReadAndStoresAreLostWithOneWarning() async throws {
            let mount = try #require(try Mount(bytes: 1 << 20))
            let first = mount.folder.cache()
            try await first.store(entry(1), for: dataKey("a"))
            try await first.flush()
            let sameReadOnly = try #require(try Mount(readOnly: mount))
            let warnings = Warnings()
            let cache = sameReadOnly.folder.cache(.init(timeToLive: .seconds(100)), warnings: warnings)
            #expect(try await cache.entry(for: dataKey("a"))?.data == content(1))
            for i in 0..<3 {
                try await cache.store(entry(2), for: dataKey(i))
                try await cache.flush()
                #expect(try await cache.entry(for: dataKey(i)) == nil)
            }
            #expect(warnings.kinds == [.writeFailed])
            #expect(warnings.messages.first?.contains(SystemError.text(EROFS)) == true)
        }

        /// GAPS N9.
        @Test func aDirectoryThatMayNotBeMadeIsReportedWithTheTrueError() async throws {
            let folder = try Folder()
            #expect(unsafe chmod(folder.path, 0o755) == 0)
            let path = folder.path
            await #expect(processExitsWith: .success) { [path = path as String] in
                try #require(setgid(65_534) == 0 && setuid(65_534) == 0)
                let warnings = Warnings()
                let cache = DiskCache(.init(directory: URL(filePath: path + "a/b"), onWarning: { warnings.add($0) }))
                try await cache.store(entry(1), for: dataKey("a"))
                #expect(warnings.kinds == [.unavailable])
                #expect(warnings.messages.first?.contains(SystemError.text(EACCES)) == true)
                #expect(warnings.messages.first?.contains(path + "a:") == true)
            }
        }

        @Test(arguments: [0o700, 0o755]) func aDirectoryOfAnotherUserTurnsTheCacheOffWithOneWarning(mode: Int) async throws {
            let folder = try Folder()
            #expect(unsafe chmod(folder.path, mode_t(mode)) == 0)
            let path = folder.path
            await #expect(processExitsWith: .success) { [path = path as String] in
                // The unprivileged user, by convention.
                try #require(setgid(65_534) == 0 && setuid(65_534) == 0)
                let warnings = Warnings()
                let cache = DiskCache(.init(directory: URL(filePath: path), onWarning: { warnings.add($0) }))
                try await cache.store(entry(1), for: dataKey("a"))
                try await cache.flush()
                #expect(try await cache.entry(for: dataKey("a")) == nil)
                #expect(warnings.kinds == [.unavailable])
                #expect(warnings.messages.first?.contains(SystemError.text(EACCES)) == true)
            }
            #expect(folder.names(in: folder.url).isEmpty)
        }

        @Test func filesOfAnotherUserInAUsableDirectoryTurnTheCacheOffAndAreNotTouched() async throws {
            let folder = try Folder()
            let mine = folder.cache()
            try await mine.store(entry(1), for: dataKey("a"))
            try await mine.flush()
            // All users may create files in the directory, but only their owner may read them.
            #expect(unsafe chmod(folder.path, 0o777) == 0)
            let path = folder.path
            await #expect(processExitsWith: .success) { [path = path as String] in
                try #require(setgid(65_534) == 0 && setuid(65_534) == 0)
                let warnings = Warnings()
                let cache = DiskCache(.init(directory: URL(filePath: path), onWarning: { warnings.add($0) }))
                #expect(try await cache.entry(for: dataKey("a")) == nil)
                try await cache.store(entry(2), for: dataKey("a"))
                try await cache.flush()
                #expect(warnings.kinds == [.unavailable])
            }
            #expect(unsafe chmod(folder.path, 0o755) == 0)
            #expect(try await folder.cache().entry(for: dataKey("a"))?.data == content(1))
            #expect(folder.names(in: folder.url) == ["images-v2"])
        }
    }

    /// A file system in memory of a given size, mounted in a temporary directory.
    private final class Mount: Sendable {
        let folder: Folder

        init?(bytes: Int) throws {
            folder = try Folder()
            guard unsafe mount("calotype-test", folder.path, "tmpfs", 0, "size=\(bytes),mode=700") == 0 else { return nil }
        }

        deinit { _ = unsafe umount2(folder.path, Int32(MNT_DETACH)) }

        /// The same files, mounted read-only in another directory.
        init?(readOnly other: Mount) throws {
            folder = try Folder()
            guard unsafe mount(other.folder.path, folder.path, "", UInt(MS_BIND), nil) == 0,
                unsafe mount("", folder.path, "", UInt(MS_REMOUNT | MS_BIND | MS_RDONLY), nil) == 0
            else { return nil }
        }

        static let isPossible = geteuid() == 0 && (try? Mount(bytes: 1 << 16)) != nil
    }
#endif
