import Foundation
import TaskRuntime

struct Student: Codable, Sendable {
    var name: String
    var gpa: Double
    var honour: String?
}

/// Stands in for the Gini (and Bolts) guide's `findAsync:` and `saveAsync:`: a JSON file of students behind a serial queue.
final class StudentStore: Sendable {
    private let stage: Stage
    private let directory: Result<ScratchDirectory, any Error>
    private let database = ChainExecutor.queue(DispatchQueue(label: "database"))

    init(_ stage: Stage) {
        self.stage = stage
        directory = Result {
            let directory = try ScratchDirectory(in: stage.scratch)
            let students = [Student(name: "Ada", gpa: 3.97), Student(name: "Grace", gpa: 3.99), Student(name: "Edsger", gpa: 3.81)]
            try JSONEncoder().encode(students).write(to: directory.url.appendingPathComponent("students.json"))
            return directory
        }
    }

    /// All students, the best first.
    func find(name: String) -> ChainTask<[Student]> {
        ChainTask(on: database, name: name) { [self] in
            stage.dawdle(.milliseconds(600))
            return try read().sorted { $0.gpa > $1.gpa }
        }
    }

    func save(_ student: Student) -> ChainTask<Void> {
        ChainTask(on: database, name: "saveAsync") { [self] in
            stage.dawdle(.milliseconds(400))
            var students = try read()
            guard let index = students.firstIndex(where: { $0.name == student.name }) else { return }
            students[index] = student
            try JSONEncoder().encode(students).write(to: file())
        }
    }

    private func read() throws -> [Student] {
        try JSONDecoder().decode([Student].self, from: Data(contentsOf: file()))
    }

    private func file() throws -> URL {
        try directory.get().url.appendingPathComponent("students.json")
    }
}
