// Functions that measure their own CPU time, for a profiler to be compared with: each round gives
// every function its share of the thread's CPU time. Prints a line of JSON per second: nanoseconds
// of CPU time by function since the start.
//
//   java -XX:CompileCommand=exclude,KnownJava::interpreted KnownJava SECONDS

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

public final class KnownJava {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static long sink;

    // Steps between two readings of the clock, by function: a reading costs microseconds.
    private static final int[] STEPS = new int[16];

    static {
        Arrays.fill(STEPS, 1);
    }

    private record Work(String name, long shareNs, Runnable step) {}

    private static int fibonacci(int n) {
        return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
    }

    static void recursion() {
        sink += fibonacci(18);
    }

    private static int innermost(int x) {
        int sum = x;
        for (int i = 0; i < 100; i++) {
            sum += x * i ^ (sum >> 3);
        }
        return sum;
    }

    private static int middle(int x) {
        return 3 + innermost(x);
    }

    static void inlinedChain() {
        for (int i = 0; i < 500; i++) {
            sink += middle(i);
        }
    }

    private interface Shape {
        double area();
    }

    private record Square(double side) implements Shape {
        public double area() {
            return side * side;
        }
    }

    private record Circle(double radius) implements Shape {
        public double area() {
            return Math.PI * radius * radius;
        }
    }

    private record Triangle(double base, double height) implements Shape {
        public double area() {
            return base * height / 2;
        }
    }

    private record Line(double length) implements Shape {
        public double area() {
            return 0 * length;
        }
    }

    private static final Shape[] SHAPES = new Shape[400];

    static {
        for (int i = 0; i < SHAPES.length; i++) {
            SHAPES[i] = switch (i % 4) {
                case 0 -> new Square(i);
                case 1 -> new Circle(i);
                case 2 -> new Triangle(i, 2);
                default -> new Line(i);
            };
        }
    }

    static void megamorphicCall() {
        double sum = 0;
        for (int round = 0; round < 60; round++) {
            for (Shape shape : SHAPES) {
                sum += shape.area();
            }
        }
        sink += (long) sum;
    }

    private static final byte[] FROM = new byte[1 << 16];
    private static final byte[] TO = new byte[1 << 16];

    static void arrayCopy() {
        for (int i = 0; i < 30; i++) {
            System.arraycopy(FROM, 0, TO, i, FROM.length - i);
        }
        sink += TO[7];
    }

    static void sortWithCallback() {
        Integer[] numbers = new Integer[600];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = (i * 7919) % 2003;
        }
        Arrays.sort(numbers, (a, b) -> b - a);
        sink += numbers[0];
    }

    private static final Pattern WORD = Pattern.compile("(\\w+)@(\\w+)\\.(com|org)");

    static void regularExpression() {
        var matcher = WORD.matcher("someone writes to nobody@example.org and to others@example.com");
        for (int i = 0; i < 40; i++) {
            matcher.reset();
            while (matcher.find()) {
                sink += matcher.end();
            }
        }
    }

    static void closures() {
        int offset = (int) (sink & 7);
        sink += IntStream.range(0, 3000).map(x -> x * 31 + offset).filter(x -> x % 3 == 0).sum();
    }

    static void exceptions() {
        for (int i = 0; i < 60; i++) {
            try {
                throwAt(12, i);
            } catch (IllegalStateException expected) {
                sink += expected.getMessage().length();
            }
        }
    }

    private static void throwAt(int depth, int value) {
        if (depth == 0) {
            throw new IllegalStateException("value " + value);
        }
        throwAt(depth - 1, value);
    }

    static void interpreted() {
        int sum = 0;
        for (int i = 0; i < 2000; i++) {
            sum += i % 7;
        }
        sink += sum;
    }

    static void garbage() {
        Map<String, List<Integer>> map = new HashMap<>();
        for (int i = 0; i < 300; i++) {
            map.computeIfAbsent("key " + i % 50, key -> new ArrayList<>()).add(i);
        }
        sink += map.size();
    }

    private static void run(List<Work> works, long[] spentNs) {
        for (int i = 0; i < works.size(); i++) {
            Work work = works.get(i);
            long start = THREADS.getCurrentThreadCpuTime();
            long spent = 0;
            while (spent < work.shareNs) {
                long before = spent;
                for (int step = 0; step < STEPS[i]; step++) {
                    work.step.run();
                }
                spent = THREADS.getCurrentThreadCpuTime() - start;
                if (spent - before < work.shareNs / 4) {
                    STEPS[i]++;
                }
            }
            spentNs[i] += spent;
        }
    }

    public static void main(String[] arguments) {
        double seconds = arguments.length > 0 ? Double.parseDouble(arguments[0]) : 10;
        List<Work> works = List.of(
            new Work("recursion", 1_400_000, KnownJava::recursion),
            new Work("inlinedChain", 1_200_000, KnownJava::inlinedChain),
            new Work("megamorphicCall", 1_000_000, KnownJava::megamorphicCall),
            new Work("arrayCopy", 900_000, KnownJava::arrayCopy),
            new Work("sortWithCallback", 1_100_000, KnownJava::sortWithCallback),
            new Work("regularExpression", 800_000, KnownJava::regularExpression),
            new Work("closures", 700_000, KnownJava::closures),
            new Work("exceptions", 900_000, KnownJava::exceptions),
            new Work("interpreted", 1_300_000, KnownJava::interpreted),
            new Work("garbage", 700_000, KnownJava::garbage));
        long[] spentNs = new long[works.size()];
        long end = System.nanoTime() + (long) (seconds * 1e9);
        long nextLine = System.nanoTime();
        while (System.nanoTime() < end) {
            run(works, spentNs);
            if (System.nanoTime() >= nextLine) {
                nextLine += 1_000_000_000;
                StringBuilder line = new StringBuilder("{");
                for (int i = 0; i < works.size(); i++) {
                    line.append(i == 0 ? "" : ", ").append('"').append(works.get(i).name)
                        .append("\": ").append(spentNs[i]);
                }
                System.out.println(line.append('}'));
            }
        }
    }
}
