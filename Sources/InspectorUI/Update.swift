/// Passes a message to the shared state, to the layer on top, or to every screen. Returns the resulting effects.
package func update(_ model: inout Model, _ message: Message) -> [Effect] {
    var effects: [Effect] = []
    let freshness = model.freshness
    model.freshness = .stale
    switch message {
    case .key(let key): effects = model.press(key, freshness)
    case .mouse(let mouse): effects = model.point(mouse, freshness)
    case .paste(let text): effects = model.enter(text)
    case .resize(let size):
        model.shared.size = size
        model.layers.layOut(model.shared)
        effects = model.layers.receive(message, &model.shared)
    case .processes(let processes): effects = model.shared.take(processes, isTouched: model.isTouched)
    case .traced: model.shared.findings.follow(model.history)
    case .look(let number): model.shared.look(at: number)
    case .awaits(let control): model.shared.control.awaitedAnswer = control
    case .answered(let control, let answer): model.shared.take(answer, to: control)
    case .couldNotEdit(let reason): model.shared.notice = reason
    case .scene(let text, let time): model.shared.program.begin(scene: text, at: time)
    case .printed, .ordered: effects = model.layers.receive(message, &model.shared)
    case .programEnded:
        model.shared.program.hasProgramEnded = true
        effects = model.layers.receive(message, &model.shared)
    case .named: effects = model.begin(anew: message)
    case .ended:
        model.shared.end(sawExit: true)
        effects = model.begin(anew: message)
    case .cut:
        model.shared.end(sawExit: false)
        effects = model.begin(anew: message)
    case .frame(let time):
        model.isStepShown = true
        model.shared.travelOn()
        model.refresh(at: time)
        model.freshness = .framed
    case .terminate: effects = [.quit]
    }
    model.settle()
    return effects
}

extension Model {
    /// Drops the findings, which a message has made untrue, and passes the message to every screen.
    fileprivate mutating func begin(anew message: Message) -> [Effect] {
        shared.findings.forget()
        return layers.receive(message, &shared)
    }
}
