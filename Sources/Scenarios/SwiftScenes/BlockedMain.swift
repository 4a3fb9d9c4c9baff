import Dispatch

extension SwiftScene {
    static let blockedMain = SwiftScene(
        "blocked-main", words: "main is blocked: photos are hashed on it, and every frame waits",
        summary: "frames are drawn on main, and a clock ticks there in blocks; hashing keeps both waiting; Overview and Hops name it",
        showGallery)
}

@MainActor private func drawFrame(_ number: Int, _ pace: ScenePace) { pace.work(milliseconds: 1) }

@MainActor private func hash(photo: Int, _ pace: ScenePace) -> Int {
    pace.work(milliseconds: 450)
    return photo
}

private func tick(_ pace: ScenePace) {
    DispatchQueue.main.async { pace.work(milliseconds: 0.2) }
}

private func drawFrames(_ pace: ScenePace) async {
    for number in 0..<400 {
        Task { await drawFrame(number, pace) }
        if number.isMultiple(of: 8) { tick(pace) }
        await pace.pause(milliseconds: 16)
    }
}

@Sendable private func showGallery(_ pace: ScenePace) async {
    let frames = Task { await drawFrames(pace) }
    for photo in 0..<5 {
        await pace.pause(milliseconds: 900)
        _ = await Task(name: "photo \(photo)") { await hash(photo: photo, pace) }.value
    }
    await frames.value
}
