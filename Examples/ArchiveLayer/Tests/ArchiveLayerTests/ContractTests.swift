import ArchiveLayer
import CalotypeTesting
import Testing

@Test(.timeLimit(.minutes(1))) func archiveLoaderKeepsTheContract() async throws {
    let album = try SampleAlbum()
    try await checkDataLoadingConformance(samples: album.samples, missing: album.missing) { ArchiveLoader() }
}
