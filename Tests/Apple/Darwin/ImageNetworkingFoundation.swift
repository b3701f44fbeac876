// The parts of Foundation and the C library that ImageNetworkingFoundation uses and only Apple's versions have. Compiled with its
// sources.
import Darwin
import Foundation
import FoundationNetworking

extension URLRequest {
    var allowsExpensiveNetworkAccess: Bool {
        get { true }
        set {}
    }
}

extension URLRequest {
    var allowsConstrainedNetworkAccess: Bool {
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
