internal import CalotypeSystem
internal import ImageCore

@main struct NetworkStorm {
    private static let help = """
        NetworkStorm [SECONDS=600] [SEED=1]: loads images from loopback servers that misbehave in many ways, from `data:` URLs
        and from files that change, 64 at a time, and cancels a quarter of the loads. The colour of an image identifies its URL.

        Fails with status 1 if an image is damaged or belongs to another URL, if a load does not end or has an outcome that its
        misbehaviour does not allow, if memory, descriptors or threads grow, or if the disk cache serves a wrong image
        afterwards, when the server responds correctly. A stored image must outlive what is no image, and replace failures of
        its server.

          SECONDS=600      the duration; some 20 seconds of rest follow
          SEED=1           the seed of the random loads
          ONLY=a,b         the misbehaviours to run, instead of all
          SABOTAGE=image   breaks the test on purpose, to prove that it can fail: `image` adds a server that sends the images
                           of other URLs, `descriptor` leaks descriptors
          --list           lists the misbehaviours and their allowed outcomes
          --help           prints this text

        Ctrl-C ends it early, with its report. It leaves no files.
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
        report("The argument \(argument) is invalid; see --help.")
        exit(64)
    }
}
