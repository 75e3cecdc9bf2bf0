import java.util.concurrent.locks.LockSupport;

// Threads that wait: two sleep or park between pieces of work, so that they do not count as idle;
// one contends for a monitor that another holds.
public final class WaitingJava {
    private static final Object MONITOR = new Object();
    private static volatile long sink;

    static void sleeping() throws InterruptedException {
        Thread.sleep(20);
        work();
    }

    static void holding() throws InterruptedException {
        synchronized (MONITOR) { Thread.sleep(10); }
    }

    static void contending() { synchronized (MONITOR) { sink++; } }

    static void parked() {
        LockSupport.parkNanos(15_000_000);
        work();
    }

    private static void work() {
        long end = System.nanoTime() + 3_000_000;
        while (System.nanoTime() < end) sink++;
    }

    private interface Step { void run() throws InterruptedException; }

    private static void repeat(String name, Step step) {
        Thread thread = new Thread(() -> {
            try { while (true) step.run(); } catch (InterruptedException ended) { sink++; }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] arguments) throws InterruptedException {
        repeat("sleeping", WaitingJava::sleeping);
        repeat("holding", WaitingJava::holding);
        repeat("contending", WaitingJava::contending);
        repeat("parked", WaitingJava::parked);
        Thread.sleep(1000 * Long.parseLong(arguments[0]));
    }
}
