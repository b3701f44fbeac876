// What ImageNetworkingFoundation takes of Foundation that only Apple's has. Compiled along with its sources.
import Foundation
import FoundationNetworking

extension URLRequest {
    var allowsExpensiveNetworkAccess: Bool {
        get { true }
        set {}
    }
}
