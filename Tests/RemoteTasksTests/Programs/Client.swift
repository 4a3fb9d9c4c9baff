// The classes of a client that is built on SwiftNIO, for Channels.swift. They are in another module than SwiftNIO's.

public typealias Waiter = CheckedContinuation<Void, Never>

public final class ClientRequest {
    public let state: AnyObject
    public let promise: AnyObject
    public init(state: AnyObject, promise: AnyObject) { (self.state, self.promise) = (state, promise) }
}

public final class ClientPool: @unchecked Sendable {
    public var waiters: [Waiter] = []
    public var next: Waiter?
    public init() {}
}

/// In its first case, a word of the others may be an old one.
public enum ClientStep {
    case idle
    case busy(AnyObject)
    case waits(AnyObject, UInt)
}
public struct ClientState {
    public var step = ClientStep.idle
    public var count = 0
    public init() {}
}

public final class ClientHandler {
    public var state = ClientState()
    public let request: ClientRequest?
    public let pool: ClientPool
    public init(request: ClientRequest?, pool: ClientPool) { (self.request, self.pool) = (request, pool) }
}
