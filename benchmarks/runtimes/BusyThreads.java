import java.io.RandomAccessFile;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.HashMap;
import java.util.Map;

/** Two threads of recursion, maps and strings; each counts its rounds in a file: BusyThreads FILE. */
public final class BusyThreads {
    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static int words(int size) {
        Map<String, Integer> counts = new HashMap<>();
        for (int i = 0; i < size; i++) counts.merge("word" + i % 50, 1, Integer::sum);
        return counts.values().stream().mapToInt(value -> value * 3).sum();
    }

    static long run(MappedByteBuffer counters, int place) {
        long sum = 0;
        for (long round = 1; ; round++) {
            sum += fib(16) + words(400);
            counters.putLong(place * 64, round);
            if (sum == Long.MIN_VALUE) return sum;
        }
    }

    public static void main(String[] arguments) throws Exception {
        try (RandomAccessFile file = new RandomAccessFile(arguments[0], "rw")) {
            MappedByteBuffer counters = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, 4096);
            counters.order(ByteOrder.nativeOrder());
            Thread second = new Thread(() -> run(counters, 1), "second");
            second.setDaemon(true);
            second.start();
            System.out.println("runs");
            run(counters, 0);
        }
    }
}
