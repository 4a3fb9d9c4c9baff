// The classes of a client that is built on SwiftNIO, for Channels.swift and Pools.swift. They are in another module than
// SwiftNIO's.

public typealias Waiter = CheckedContinuation<Void, Never>

public final class ClientRequest {
    public let state: AnyObject
    public let promise: AnyObject
    public init(state: AnyObject, promise: AnyObject) { (self.state, self.promise) = (state, promise) }
}

public final class ClientPool: @unchecked Sendable {
    public var waiters: [Waiter] = []
    public var next: Waiter?
    public var state = PoolState()
    public var numbered: [Int: Waiter] = [:]
    public init() {}
    public func closed(_ connection: AnyObject?) {}
}
public struct PoolState {
    public enum Lease {
        case starting(Int)
        case leased(ClientConnection)
    }
    public var leases: [Lease] = []
    public var queue: ContiguousArray<QueuedRequest?> = []
}

/// The object of a pool's connection.
public final class ClientConnection: @unchecked Sendable {
    public let channel: AnyObject
    public let pool: ClientPool
    public init(_ channel: AnyObject, _ pool: ClientPool) { (self.channel, self.pool) = (channel, pool) }
    public func closed() {}
}

/// A request that has no connection yet.
public final class QueuedRequest: @unchecked Sendable {
    public enum State {
        case queued(Waiter, ClientPool)
        case executing(Waiter, AnyObject, UInt)
    }
    public var state: State?
    public init() {}
}

/// A handler that prepares a connection.
public final class OpeningHandler {
    public let promise: AnyObject
    public init(_ promise: AnyObject) { self.promise = promise }
}

/// The owner of a connection. Its tasks wait for something else.
public final class ClientOwner: @unchecked Sendable {
    public let connection: ClientConnection
    public var waiters: [Int: Waiter] = [:]
    public init(_ connection: ClientConnection) { self.connection = connection }
    public func closed() {}
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
