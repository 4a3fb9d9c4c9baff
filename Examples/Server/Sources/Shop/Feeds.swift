/// Memory grows: each follower has a task that reads a stream, and no code finishes the streams.
actor Feeds {
    private var followers: [AsyncStream<String>.Continuation] = []

    func follow(_ name: String) {
        let (news, input) = AsyncStream.makeStream(of: String.self)
        followers.append(input)
        Task(name: "feed of \(name)") {
            for await line in news { print(line) }
        }
    }
}
