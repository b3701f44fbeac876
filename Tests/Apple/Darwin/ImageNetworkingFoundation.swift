// What ImageNetworkingFoundation takes of Foundation and the C library that only Apple's have. Compiled along with its sources.
import Darwin
import Foundation
import FoundationNetworking

extension URLRequest {
    var allowsExpensiveNetworkAccess: Bool {
        get { true }
        set {}
    }
}

extension URLSessionConfiguration {
    static func background(withIdentifier identifier: String) -> URLSessionConfiguration { .ephemeral }

    var sessionSendsLaunchEvents: Bool {
        get { true }
        set {}
    }
}

extension stat {
    var st_mtimespec: timespec { st_mtim }
}
