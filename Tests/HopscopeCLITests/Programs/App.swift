/// A healthy program of a moment, on which Scripts/printed runs the commands of the documents. They name its lines 10 and 20.
actor Store {
    private var saved: [Int] = []

    func save(_ number: Int) { saved.append(number) }
}

func requests(_ store: Store) async {
    for number in 1...10 {
        let request = Task(name: "request \(number)") { await store.save(number) }
        await request.value
    }
}

@main
enum App {
    static func main() async {
        let store = Store()
        await withTaskGroup(of: Void.self) { group in
            group.addTask(name: "requests") { await requests(store) }
        }
        if CommandLine.arguments.contains("stay") {
            await Task(name: "waiter") { try? await Task.sleep(for: .seconds(3600)) }.value
        }
    }
}
