import java.util.concurrent.locks.LockSupport;

/** A thread wakes another one by short native calls, and a third one compares equal strings. */
public final class ShortCalls {
    static long sum;

    static void wake(Thread sleeper) {
        while (true) LockSupport.unpark(sleeper);
    }

    static void sleep() {
        while (true) LockSupport.park();
    }

    static void compare(String first, String second) {
        while (true) sum += first.compareTo(second);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Thread sleeper = new Thread(ShortCalls::sleep);
        sleeper.start();
        new Thread(() -> wake(sleeper)).start();
        compare("a".repeat(15), new String("a".repeat(15)));
    }
}
