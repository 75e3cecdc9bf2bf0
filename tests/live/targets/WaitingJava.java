import java.util.concurrent.locks.LockSupport;

// Two threads that wait: one sleeps, one contends for a monitor that the other holds.
public final class WaitingJava {
    private static final Object MONITOR = new Object();
    private static volatile long sink;

    static void sleeping() throws InterruptedException { Thread.sleep(20); }

    static void holding() throws InterruptedException {
        synchronized (MONITOR) { Thread.sleep(10); }
    }

    static void contending() { synchronized (MONITOR) { sink++; } }

    static void parked() { LockSupport.parkNanos(15_000_000); }

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
