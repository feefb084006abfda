package dev.damask.examples.cluster;

import static dev.damask.typed.Steps.effect;
import static dev.damask.typed.Steps.exponential;
import static dev.damask.typed.Steps.transaction;
import static dev.damask.typed.Steps.workflow;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.effect.EffectCall;
import dev.damask.store.postgres.PostgresCluster;
import dev.damask.store.postgres.PostgresUrl;
import dev.damask.term.Workflow;
import dev.damask.value.Key;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Orders on several nodes. Each order takes a piece out of the stock, in the transaction of its
/// case, and is then packed, which takes a while. Nodes may be killed at any moment.
///
/// ```
/// ClusterExample URL node NAME     runs a node until its standard input ends
/// ClusterExample URL orders COUNT  starts orders, waits for them and counts
/// ```
public final class ClusterExample {
  /// An order.
  record Order(String id) {}

  /// The piece that an order has taken.
  record Piece(int left) {}

  /// A packed order.
  record Box(String node) {}

  static final Key<Order> ORDER = Key.of(Order.class);
  static final Key<Piece> PIECE = Key.of(Piece.class);
  static final Key<Box> BOX = Key.of(Box.class);
  static final int STOCK = 1_000_000;

  private static final Duration PACKING = Duration.ofMillis(500);

  private ClusterExample() {}

  static Workflow<Order, Box> order(String node) {
    return workflow(
        "cluster-order",
        ORDER,
        BOX,
        transaction("take", ORDER, ClusterExample::take).as(PIECE),
        effect("pack", ORDER, (order, call) -> pack(node, call)).as(BOX).retry(exponential(5)));
  }

  /// The row and the step of the case happen together or not at all.
  private static Piece take(Order order, Connection connection) throws SQLException {
    try (PreparedStatement taken =
            connection.prepareStatement("insert into shop_taken (order_id) values (?)");
        PreparedStatement stock =
            connection.prepareStatement(
                "update shop_stock set pieces = pieces - 1 returning pieces")) {
      taken.setString(1, order.id());
      taken.executeUpdate();
      try (ResultSet left = stock.executeQuery()) {
        left.next();
        return new Piece(left.getInt(1));
      }
    }
  }

  private static Box pack(String node, EffectCall call) throws InterruptedException {
    if (call.cancelToken().isCancelled()) {
      throw new InterruptedException("the order was cancelled");
    }
    Thread.sleep(PACKING);
    return new Box(node);
  }

  /// Runs the example.
  public static void main(String[] arguments) throws Exception {
    if (arguments.length != 3) {
      System.err.println("usage: ClusterExample URL node NAME | URL orders COUNT");
      System.exit(2);
    }
    PostgresUrl url = PostgresUrl.parse(arguments[0]);
    createTables(url);
    if (arguments[1].equals("node")) {
      node(url, arguments[2]);
    } else {
      orders(url, Integer.parseInt(arguments[2]), System.out);
    }
  }

  static void createTables(PostgresUrl url) throws SQLException {
    try (Connection connection = url.source().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "select pg_advisory_lock(4711); create table if not exists shop_stock (pieces int);"
              + " create table if not exists shop_taken (order_id text);"
              + " insert into shop_stock select "
              + STOCK
              + " where not exists (select 1 from shop_stock);"
              + " select pg_advisory_unlock(4711)");
    }
  }

  static Engine open(PostgresUrl url, String name) {
    return Engine.open(
        EngineOptions.defaults().withShards(2),
        PostgresCluster.of(
            url.source(),
            url.options().withAddress(name + ", process " + ProcessHandle.current().pid())),
        order(name));
  }

  private static void node(PostgresUrl url, String name) throws IOException {
    try (Engine _ = open(url, name)) {
      while (System.in.read() >= 0) {
        // until the terminal or the script closes it
      }
    }
  }

  /// Starts orders, waits for all, and prints what is in the database.
  static void orders(PostgresUrl url, int count, PrintStream out) throws Exception {
    Workflow<Order, Box> order = order("client");
    String batch = UUID.randomUUID().toString().substring(0, 8);
    CountDownLatch never = new CountDownLatch(1);
    try (Engine client =
        Engine.open(
            EngineOptions.defaults(),
            PostgresCluster.of(url.source(), url.options()).asClient(),
            order)) {
      for (int i = 0; i < count; i++) {
        String id = batch + "-" + i;
        var _ = client.startAsync(order, id, new Order(id));
        boolean _ = never.await(20, TimeUnit.MILLISECONDS);
      }
      int done = 0;
      for (int i = 0; i < count; i++) {
        while (!isCompleted(url, batch + "-" + i)) {
          boolean _ = never.await(50, TimeUnit.MILLISECONDS);
        }
        done++;
        if (done % 50 == 0 || done == count) {
          out.printf("%d of %d orders completed%n", done, count);
        }
      }
    }
    out.printf(
        "%s pieces taken for %d orders%n",
        query(url, "select count(*) from shop_taken where order_id like '" + batch + "-%'"), count);
  }

  private static boolean isCompleted(PostgresUrl url, String id) throws SQLException {
    String schema = url.options().schema();
    return query(
            url,
            "select count(*) from %s.case_list where case_id = '%s' and status = 'completed'"
                .formatted(schema, id))
        .equals("1");
  }

  private static String query(PostgresUrl url, String sql) throws SQLException {
    try (Connection connection = url.source().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }
}
