// Healthy programs that wait in time, in every way of the C library. `Orders until condition` runs one. None fails in any order.

import Dispatch
import Foundation

/// Runs the program of that name.
func wait(in way: String, _ isHealthy: Bool) async {
    let kind = CommandLine.arguments.count > 2 ? CommandLine.arguments[2] : ""
    switch way {
    case "until": waitUntil(kind)
    case "limit": sleepAfterWait()
    case "time": tellTime(kind)
    case "beside": waitBesideSleep()
    case "tick": tickFile()
    case "doze": loopUntilAwake()
    case "child": awaitProcess()
    case "answer": awaitAnswer()
    case "overtaken": await awaitAnswerIfOvertaken()
    case "endless": loopForEver()
    case "planted": await Planted.run(kind, isHealthy)
    case _: exit(64)
    }
}

/// The locks that the threads of one program share. They live as long as the process.
struct Shared: @unchecked Sendable {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)
    let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    let isSet = UnsafeMutablePointer<Bool>.allocate(capacity: 1)

    init(clock: clockid_t = CLOCK_REALTIME) {
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, clock)
        pthread_cond_init(condition, &attributes)
        pthread_mutex_init(mutex, nil)
        pthread_rwlock_init(lock, nil)
        sem_init(semaphore, 0, 0)
        isSet.initialize(to: false)
    }
}

/// The time of a clock after that many nanoseconds.
func after(_ nanoseconds: Int, _ clock: clockid_t) -> timespec {
    var time = timespec()
    clock_gettime(clock, &time)
    let total = time.tv_nsec + nanoseconds
    return timespec(tv_sec: time.tv_sec + total / 1_000_000_000, tv_nsec: total % 1_000_000_000)
}

func milliseconds(of clock: clockid_t = CLOCK_MONOTONIC) -> Int {
    let now = after(0, clock)
    return now.tv_sec * 1000 + now.tv_nsec / 1_000_000
}

private let tenSeconds = 10_000_000_000

/// Lets a thread do something after a millisecond.
func soon(_ action: @escaping @Sendable () -> Void) {
    Thread.detachNewThread {
        usleep(1000)
        action()
    }
}

/// Waits ten seconds at most for what another thread does after a millisecond.
func waitUntil(_ way: String) {
    let shared = Shared(clock: way == "monotonic" ? CLOCK_MONOTONIC : CLOCK_REALTIME)
    let clock = way.hasSuffix("clock") || way == "monotonic" ? CLOCK_MONOTONIC : CLOCK_REALTIME
    switch way {
    case "condition", "monotonic", "condition-clock":
        soon {
            pthread_mutex_lock(shared.mutex)
            shared.isSet.pointee = true
            pthread_mutex_unlock(shared.mutex)
            pthread_cond_signal(shared.condition)
        }
        var limit = after(tenSeconds, clock)
        pthread_mutex_lock(shared.mutex)
        while !shared.isSet.pointee {
            let result =
                way.hasSuffix("clock")
                ? pthread_cond_clockwait(shared.condition, shared.mutex, clock, &limit)
                : pthread_cond_timedwait(shared.condition, shared.mutex, &limit)
            if result != 0 { exit(1) }
        }
        pthread_mutex_unlock(shared.mutex)
    case "semaphore", "semaphore-clock":
        soon { sem_post(shared.semaphore) }
        var limit = after(tenSeconds, clock)
        let result =
            way.hasSuffix("clock") ? sem_clockwait(shared.semaphore, clock, &limit) : sem_timedwait(shared.semaphore, &limit)
        if result != 0 { exit(1) }
    case "mutex", "mutex-clock":
        holdForAWhile(shared, { pthread_mutex_lock($0.mutex) }, { pthread_mutex_unlock($0.mutex) })
        var limit = after(tenSeconds, clock)
        let result =
            way.hasSuffix("clock") ? pthread_mutex_clocklock(shared.mutex, clock, &limit) : pthread_mutex_timedlock(shared.mutex, &limit)
        if result != 0 { exit(1) }
    case "reader", "reader-clock":
        holdForAWhile(shared, { pthread_rwlock_wrlock($0.lock) }, { pthread_rwlock_unlock($0.lock) })
        var limit = after(tenSeconds, clock)
        let result =
            way.hasSuffix("clock")
            ? pthread_rwlock_clockrdlock(shared.lock, clock, &limit) : pthread_rwlock_timedrdlock(shared.lock, &limit)
        if result != 0 { exit(1) }
    case "writer", "writer-clock":
        holdForAWhile(shared, { pthread_rwlock_rdlock($0.lock) }, { pthread_rwlock_unlock($0.lock) })
        var limit = after(tenSeconds, clock)
        let result =
            way.hasSuffix("clock")
            ? pthread_rwlock_clockwrlock(shared.lock, clock, &limit) : pthread_rwlock_timedwrlock(shared.lock, &limit)
        if result != 0 { exit(1) }
    case _: exit(64)
    }
}

/// Lets a thread hold a lock for half a second.
private func holdForAWhile(
    _ shared: Shared, _ lock: @escaping @Sendable (Shared) -> Int32, _ unlock: @escaping @Sendable (Shared) -> Int32
) {
    Thread.detachNewThread {
        _ = lock(shared)
        sem_post(shared.semaphore)
        usleep(500_000)
        _ = unlock(shared)
    }
    sem_wait(shared.semaphore)
}

/// Waits 10 ms at most for a condition that is signalled before, and then sleeps. The limit of the first wait must not end the sleep.
func sleepAfterWait() {
    let (shared, done) = (Shared(), DispatchSemaphore(value: 0))
    for _ in 0..<2 {
        Thread.detachNewThread {
            pthread_mutex_lock(shared.mutex)
            var limit = after(10_000_000, CLOCK_REALTIME)
            if !shared.isSet.pointee { pthread_cond_timedwait(shared.condition, shared.mutex, &limit) }
            pthread_mutex_unlock(shared.mutex)
            let began = milliseconds()
            usleep(1_000_000)
            if milliseconds() - began < 999 { exit(1) }
            done.signal()
        }
    }
    usleep(1000)
    pthread_mutex_lock(shared.mutex)
    shared.isSet.pointee = true
    pthread_mutex_unlock(shared.mutex)
    pthread_cond_broadcast(shared.condition)
    for _ in 0..<2 { done.wait() }
}

/// Sleeps to a time of each clock, waits in time for files, and looks at every clock. All of them tell the same time.
func tellTime(_ way: String) {
    let began = milliseconds()
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { exit(70) }
    switch way {
    case "sleep":
        for clock in [CLOCK_MONOTONIC, CLOCK_REALTIME] {
            var limit = after(tenSeconds / 2, clock)
            clock_nanosleep(clock, Int32(TIMER_ABSTIME), &limit, nil)
        }
    case "poll":
        var polled = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
        if poll(&polled, 1, 10_000) != 0 { exit(1) }
    case "epoll":
        let queue = epoll_create1(0)
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: ends[0]))
        epoll_ctl(queue, EPOLL_CTL_ADD, ends[0], &event)
        if epoll_wait(queue, &event, 1, 10_000) != 0 { exit(1) }
    case "select":
        var files = fd_set()
        withUnsafeMutableBytes(of: &files) { $0[Int(ends[0]) / 8] |= 1 << UInt8(ends[0] % 8) }
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        if select(ends[0] + 1, &files, nil, nil, &limit) != 0 { exit(1) }
    case "except":
        // The other end is closed, which a poll tells and this call does not.
        close(ends[1])
        var files = fd_set()
        withUnsafeMutableBytes(of: &files) { $0[Int(ends[0]) / 8] |= 1 << UInt8(ends[0] % 8) }
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        if select(ends[0] + 1, nil, nil, &files, &limit) != 0 { exit(1) }
    case "day":
        // A loop that looks at the clock until its time has come.
        var now = timeval()
        gettimeofday(&now, nil)
        let end = now.tv_usec + 200
        while now.tv_usec < end, now.tv_usec >= end - 200 { gettimeofday(&now, nil) }
        usleep(10_000_000)
        if abs(time(nil) - after(0, CLOCK_REALTIME).tv_sec) > 1 { exit(1) }
    case _: exit(64)
    }
    // No computing takes a fifth of a second here, unless time is real.
    if !(9_999..<10_200).contains(milliseconds() - began) { exit(1) }
}

/// A thread waits for a file with a limit of ten seconds, beside one that sleeps for a quarter of an hour: the limit comes first.
func waitBesideSleep() {
    let (answer, done) = (Shared(), DispatchSemaphore(value: 0))
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { exit(70) }
    let input = ends[0]
    Thread.detachNewThread {
        var polled = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
        poll(&polled, 1, 10_000)
        answer.isSet.pointee = true
        done.signal()
    }
    Thread.detachNewThread {
        sleep(900)
        if !answer.isSet.pointee { exit(1) }
        done.signal()
    }
    for _ in 0..<2 { done.wait() }
}

/// A clock file of the kernel that fires every 100 ms, seen by a thread that waits in `epoll_wait`, as NIO's event loops are made.
func tickFile() {
    let (queue, clock, done) = (epoll_create1(0), timerfd_create(CLOCK_MONOTONIC, 0), DispatchSemaphore(value: 0))
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: clock))
    epoll_ctl(queue, EPOLL_CTL_ADD, clock, &event)
    Thread.detachNewThread {
        let began = milliseconds()
        for tick in 1...9 {
            var time = itimerspec(it_interval: timespec(), it_value: timespec(tv_sec: 0, tv_nsec: 100_000_000))
            timerfd_settime(clock, 0, &time, nil)
            var (event, count) = (epoll_event(), UInt64(0))
            if epoll_wait(queue, &event, 1, -1) != 1 { exit(1) }
            read(clock, &count, 8)
            if !(tick * 100 - 20..<tick * 100 + 50).contains(milliseconds() - began) { exit(1) }
        }
        done.signal()
    }
    usleep(10_000)
    for _ in 0..<5 { usleep(200_000) }
    done.wait()
}

/// A thread calls a queue again and again until another one, which sleeps for 3 ms, has set a flag. It never looks at a clock.
func loopUntilAwake() {
    let (flag, done, queue) = (Flag(), DispatchSemaphore(value: 0), DispatchQueue(label: "busy"))
    Thread.detachNewThread {
        while !flag.isSet.load(ordering: .acquiring) { queue.sync {} }
        done.signal()
    }
    Thread.detachNewThread {
        usleep(3000)
        flag.isSet.store(true, ordering: .releasing)
    }
    done.wait()
}

/// Waits for a process that sleeps longer than any silence that counts as a deadlock, beside a thread that waits for the end of that.
func awaitProcess() {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        var (process, status) = (pid_t(), Int32(0))
        let arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("1.5"), nil]
        posix_spawnp(&process, "sleep", nil, nil, arguments, environ)
        waitpid(process, &status, 0)
        done.signal()
    }
    Thread.detachNewThread { for _ in 0..<3 { usleep(1000) } }
    done.wait()
}

/// Awaits an answer in those orders in which one task overtakes another.
func awaitAnswerIfOvertaken() async {
    let flag = Flag()
    let first = Task.detached { flag.isSet.store(true, ordering: .releasing) }
    let second = Task.detached { if !flag.isSet.load(ordering: .acquiring) { awaitAnswer() } }
    await first.value
    await second.value
}

/// Two threads that never end, and that never wait.
func loopForEver() {
    let queue = DispatchQueue(label: "busy")
    for _ in 0..<2 { Thread.detachNewThread { while true { queue.sync {} } } }
    DispatchSemaphore(value: 0).wait()
}

/// Asks a helper process, which answers after a while, and gives up after a virtual quarter of an hour: that comes first in virtual time.
func awaitAnswer() {
    let done = DispatchSemaphore(value: 0)
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { exit(70) }
    let (input, output) = (ends[0], ends[1])
    Thread.detachNewThread {
        var (process, actions, byte) = (pid_t(), posix_spawn_file_actions_t(), UInt8(0))
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        let arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sh"), strdup("-c"), strdup("sleep 0.3; echo"), nil]
        posix_spawn(&process, "/bin/sh", &actions, nil, arguments, environ)
        if read(input, &byte, 1) != 1 { exit(1) }
        done.signal()
    }
    if done.wait(timeout: .now() + 900) != .success { exit(1) }
}
