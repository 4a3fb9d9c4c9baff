// Code at the top level of a file that awaits: the compiler gives its parts names of C.

func work() -> Int { 1 }

async let sum = work()  // async let
let task = Task { work() }  // task
let values = [await sum, await task.value]

// The program waits here, so its last slice is not its first.
await Task.yield()
let later = Task.detached { work() }  // later
print(values, await later.value)
