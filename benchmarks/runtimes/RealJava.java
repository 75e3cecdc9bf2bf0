// Loads of real Java programs, for profilers to be compared with each other:
//
//   java RealJava compile SECONDS          the Java compiler on a generated source
//   java RealJava serve SECONDS            the HTTP server of the JDK; prints its port
//   java RealJava request PORT SECONDS     its load
//   java -cp h2.jar:. RealJava query SECONDS   an H2 database in memory under queries

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.sql.DriverManager;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

public final class RealJava {
    private static final int METHODS = 400;
    private static final int CONNECTIONS = 3;

    private static String source() {
        StringBuilder text = new StringBuilder("import java.util.*;\nimport java.util.function.*;\n");
        text.append("class Generated {\n");
        for (int i = 0; i < METHODS; i++) {
            text.append("  static <T extends Comparable<T>> List<T> f").append(i)
                .append("(List<T> in, Function<T, T> f) {\n    List<T> out = new ArrayList<>();\n")
                .append("    for (T t : in) { if (t.compareTo(in.get(0)) > ").append(i % 3)
                .append(") out.add(f.apply(t)); else out.add(t); }\n")
                .append("    out.sort(Comparator.naturalOrder());\n")
                .append("    int x = switch (out.size() % 4) { case 0 -> ").append(i)
                .append("; case 1 -> out.hashCode(); default -> 3; };\n")
                .append("    return x > 2 ? out : in;\n  }\n");
        }
        return text.append("}\n").toString();
    }

    private static void compile(long end) {
        String text = source();
        var compiler = ToolProvider.getSystemJavaCompiler();
        while (System.nanoTime() < end) {
            var file = new SimpleJavaFileObject(URI.create("string:///Generated.java"),
                    JavaFileObject.Kind.SOURCE) {
                @Override
                public CharSequence getCharContent(boolean ignoreErrors) {
                    return text;
                }
            };
            List<String> options = List.of("-proc:none", "-d", System.getProperty("java.io.tmpdir"));
            compiler.getTask(null, null, null, options, null, List.of(file)).call();
        }
    }

    private static void serve(long end) throws IOException, InterruptedException {
        // Otherwise each response waits 40 ms for a delayed acknowledgement: 25 requests per second.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.setExecutor(Executors.newFixedThreadPool(2));
        server.createContext("/", exchange -> {
            TreeMap<String, Integer> words = new TreeMap<>();
            for (int i = 0; i < 300; i++) {
                words.merge("word" + (i * 31 % 97), i, Integer::sum);
            }
            byte[] body = words.toString().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        });
        server.start();
        System.out.println(server.getAddress().getPort());
        Thread.sleep((end - System.nanoTime()) / 1_000_000);
        System.exit(0);
    }

    private static void request(int port, long end) {
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port)).build();
        Runnable requests = () -> {
            try {
                while (System.nanoTime() < end) {
                    client.send(request, HttpResponse.BodyHandlers.ofString());
                }
            } catch (IOException | InterruptedException ended) {
                System.exit(0);
            }
        };
        for (int i = 1; i < CONNECTIONS; i++) new Thread(requests).start();
        requests.run();
    }

    private static void query(long end) throws Exception {
        try (var connection = DriverManager.getConnection("jdbc:h2:mem:load");
                var statement = connection.createStatement()) {
            statement.execute("create table item(id int primary key, kind int, name varchar(40))");
            try (var insert = connection.prepareStatement("insert into item values(?, ?, ?)")) {
                for (int i = 0; i < 20_000; i++) {
                    insert.setInt(1, i);
                    insert.setInt(2, i % 50);
                    insert.setString(3, "name " + i * 7919 % 20_000);
                    insert.execute();
                }
            }
            while (System.nanoTime() < end) {
                statement.executeQuery("select kind, count(*), max(name) from item where name like "
                        + "'%7%' group by kind order by 2 desc").close();
                statement.executeQuery("select a.name from item a join item b on a.id = b.kind "
                        + "where b.id < 2000 order by a.name").close();
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Double.parseDouble(arguments[arguments.length - 1]);
        long end = System.nanoTime() + (long) (seconds * 1e9);
        switch (arguments[0]) {
            case "compile" -> compile(end);
            case "serve" -> serve(end);
            case "request" -> request(Integer.parseInt(arguments[1]), end);
            default -> query(end);
        }
    }
}
