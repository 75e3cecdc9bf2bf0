/** Allocates without pause, or computes in a thread named as one of a collector. */
public class AllocationStorm {
  static final Object[] KEPT = new Object[200_000];

  static void allocate(long end) {
    for (int i = 0; System.nanoTime() < end; ) {
      for (int k = 0; k < 1000; k++, i++) KEPT[i % KEPT.length] = new byte[400 + i % 300];
    }
  }

  static long gc(long end) {
    long sum = 0;
    while (System.nanoTime() < end) {
      for (int i = 0; i < 100_000; i++) sum += (sum ^ i) * 31;
    }
    return sum;
  }

  public static void main(String[] arguments) throws Exception {
    long end = System.nanoTime() + 60_000_000_000L;
    if (arguments[0].equals("storm")) {
      allocate(end);
    } else {
      Thread computing = new Thread(() -> System.out.println(gc(end)), "GC Thread#0");
      computing.start();
      computing.join();
    }
  }
}
