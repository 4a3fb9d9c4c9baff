/// An action of one type of layer.
private struct LayerAction<Owner: Layer>: Sendable {
    let run: @Sendable (inout Owner, inout SharedState) -> Answer
}

extension Layer {
    /// A command for this layer, also while another one is on top.
    static func command(_ run: @escaping @Sendable (inout Self, inout SharedState) -> Void) -> Command {
        answer { layer, shared in
            run(&layer, &shared)
            return .changed
        }
    }

    /// A command that sometimes leaves this value as it is, and then changes nothing.
    static func command<Value: Equatable & SendableMetatype>(
        changing value: @escaping @Sendable (Self, SharedState) -> Value, _ run: @escaping @Sendable (inout Self, inout SharedState) -> Void
    ) -> Command {
        answer { layer, shared in
            let before = value(layer, shared)
            run(&layer, &shared)
            return .changed(if: value(layer, shared) != before)
        }
    }

    /// A command that answers by itself.
    static func answer(_ run: @escaping @Sendable (inout Self, inout SharedState) -> Answer) -> Command {
        .layer(name, action: LayerAction<Self>(run: run))
    }

    /// Runs an action that ``answer(_:)`` made for this type.
    mutating func perform(_ action: any Sendable, _ shared: inout SharedState) -> Answer {
        guard let action = action as? LayerAction<Self> else { preconditionFailure("\(Self.name.title) was asked for \(action)") }
        return action.run(&self, &shared)
    }
}
