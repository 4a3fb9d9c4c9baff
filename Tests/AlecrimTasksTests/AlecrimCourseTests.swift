import Testing

@testable import AlecrimTasks

/// A body's steps up to its return, with the task's end at every point between them.
struct AlecrimCourseTests {
    enum Move: String {
        case begin, tellOfStart, bodyReturned, abandon, finish, cancel
    }

    /// Makes the moves and returns what each left to do; "no" for a body that may not begin.
    private func duties(after moves: [Move]) -> [String] {
        var course = AlecrimCourse()
        return moves.map { move in
            switch move {
            case .begin: course.begin() ? "" : "no"
            case .tellOfStart: words(course.tellOfStart())
            case .bodyReturned: words(course.bodyReturned())
            case .abandon: words(course.abandon())
            case .finish: words(course.finished(isCancelled: false))
            case .cancel: words(course.finished(isCancelled: true))
            }
        }
    }

    private func words(_ duties: AlecrimCourse.Duties) -> String {
        [(AlecrimCourse.Duties.giveUpTurn, "turn"), (.tellOfFinish, "tell")].filter { duties.contains($0.0) }.map(\.1).joined(
            separator: "+")
    }

    @Test(
        arguments: [
            // In the usual order, finished by the body or after it.
            ([.begin, .tellOfStart, .finish, .bodyReturned], ["", "", "tell", "turn"]),
            ([.begin, .tellOfStart, .cancel, .bodyReturned], ["", "", "tell", "turn"]),
            ([.begin, .tellOfStart, .bodyReturned, .finish], ["", "", "", "turn+tell"]),
            ([.begin, .tellOfStart, .bodyReturned, .cancel], ["", "", "", "turn+tell"]),
            // Finished before the body: the body runs all the same.
            ([.finish, .begin, .tellOfStart, .bodyReturned], ["", "", "tell", "turn"]),
            ([.begin, .finish, .tellOfStart, .bodyReturned], ["", "", "tell", "turn"]),
            // Cancelled before the body: the body does not run.
            ([.cancel, .begin], ["turn", "no"]),
            ([.cancel, .abandon], ["turn", ""]),
            ([.begin, .cancel, .tellOfStart, .bodyReturned], ["", "", "tell", "turn"]),
            // Its conditions are not satisfied.
            ([.abandon, .cancel, .begin], ["turn", "", "no"]),
            ([.abandon, .finish, .begin], ["turn", "", "no"]),
            ([.finish, .abandon, .begin], ["", "turn", "no"]),
        ] as [([Move], [String])])
    func eachDutyIsLeftOnce(moves: [Move], expected: [String]) {
        #expect(duties(after: moves) == expected)
    }
}
