internal import CalotypeSystem
internal import ImageCore

@main struct NetworkStorm {
    private static let help = """
        NetworkStorm [SECONDS=600] [SEED=1]: loads images from a server on loopback that misbehaves in every way it knows,
        64 at a time, a quarter of them cancelled. The colour of an image names its URL.

        Fails, with status 1, where an image is another URL's or damaged, a load ends in a way that its misbehaviour does not
        allow or does not end, memory, descriptors or threads grow, or the disk cache serves something wrong afterwards, when
        the server answers every URL properly.

          SECONDS=600      how long it storms; some 20 seconds of quiet come on top
          SEED=1           another seed makes other loads
          ONLY=a,b         these misbehaviours alone
          SABOTAGE=image   breaks the check on purpose, to see it fail: `image` adds a server that sends other URLs' images,
                           `descriptor` leaks descriptors
          --list           the misbehaviours, and how loads of them may end
          --help           this text

        Ctrl-C ends it early, with its report. Nothing stays on disk.
        """

    static func main() async throws {
        var values = ["SECONDS": "600", "SEED": "1"]
        for argument in CommandLine.arguments.dropFirst() {
            switch argument {
            case "--help", "-h":
                print(help)
                return
            case "--list":
                for misbehaviour in Misbehaviour.all {
                    let allowed = misbehaviour.allowed.sorted().map(\.description).joined(separator: ", ")
                    print("\(misbehaviour.name): \(misbehaviour.what) Allowed: \(allowed).")
                }
                return
            case "--serve": return try StormServer.run()
            default:
                let parts = argument.split(separator: "=", maxSplits: 1).map { String($0) }
                guard parts.count == 2, ["SECONDS", "SEED", "ONLY", "SABOTAGE"].contains(parts[0]) else { refuse(argument) }
                values[parts[0]] = parts[1]
            }
        }
        guard let seconds = values["SECONDS"].flatMap({ Int($0) }), (5...100_000).contains(seconds) else { refuse("SECONDS") }
        guard let seed = values["SEED"].flatMap({ UInt64($0) }) else { refuse("SEED") }
        var misbehaviours = Misbehaviour.all
        if let only = values["ONLY"] {
            let names = only.split(separator: ",").map { String($0) }
            if let unknown = names.first(where: { Misbehaviour.byName[$0] == nil }) { refuse(unknown) }
            misbehaviours = names.compactMap { Misbehaviour.byName[$0] }
        }
        guard ["image", "descriptor", nil].contains(values["SABOTAGE"]) else { refuse("SABOTAGE") }
        if values["SABOTAGE"] == "image" { misbehaviours.append(.impostor) }
        let storm = try Storm(misbehaviours, seconds: seconds, seed: seed, sabotage: values["SABOTAGE"])
        let status = await storm.run()
        storm.cleanUp()
        exit(status)
    }

    private static func refuse(_ argument: String) -> Never {
        report("\(argument) is not understood; see --help.")
        exit(64)
    }
}
