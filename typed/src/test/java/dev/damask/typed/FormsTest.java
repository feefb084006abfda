package dev.damask.typed;

import static dev.damask.typed.Steps.action;
import static dev.damask.typed.Steps.effect;
import static dev.damask.typed.Steps.seq;
import static dev.damask.typed.Steps.task;
import static dev.damask.typed.Steps.transaction;
import static dev.damask.typed.Steps.transactionAction;
import static dev.damask.typed.Steps.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.cases.Engine;
import dev.damask.effect.EffectCall;
import dev.damask.value.Context;
import dev.damask.value.Key;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/// The table of forms that handlers can have: none to five keys, method reference and lambda, with
/// and without the call, value and void. It compiles, and every handler receives its values.
final class FormsTest {
  private static final Key<String> A = Key.of("a", String.class);
  private static final Key<Integer> B = Key.of("b", Integer.class);
  private static final Key<Long> C = Key.of("c", Long.class);
  private static final Key<Boolean> D = Key.of("d", Boolean.class);
  private static final Key<Double> E = Key.of("e", Double.class);
  private static final Key<String> OUT = Key.of("out", String.class);

  private final List<String> seen = new CopyOnWriteArrayList<>();

  private String say(Object... values) {
    String text = java.util.Arrays.toString(values);
    seen.add(text);
    return text;
  }

  // Methods to refer to.
  String v0() {
    return say();
  }

  String v1(String a) {
    return say(a);
  }

  String v2(String a, int b) {
    return say(a, b);
  }

  String v3(String a, int b, long c) {
    return say(a, b, c);
  }

  String v4(String a, int b, long c, boolean d) {
    return say(a, b, c, d);
  }

  String v5(String a, int b, long c, boolean d, double e) {
    return say(a, b, c, d, e);
  }

  String w0(EffectCall call) {
    return say(call.attempt());
  }

  String w1(String a, EffectCall call) {
    return say(a, call.attempt());
  }

  String w2(String a, int b, EffectCall call) {
    return say(a, b, call.attempt());
  }

  String w3(String a, int b, long c, EffectCall call) {
    return say(a, b, c, call.attempt());
  }

  String w4(String a, int b, long c, boolean d, EffectCall call) {
    return say(a, b, c, d, call.attempt());
  }

  String w5(String a, int b, long c, boolean d, double e, EffectCall call) {
    return say(a, b, c, d, e, call.attempt());
  }

  void x1(String a) {
    say(a);
  }

  void y1(String a, EffectCall call) {
    say(a, call.attempt());
  }

  void x5(String a, int b, long c, boolean d, double e) {
    say(a, b, c, d, e);
  }

  void y5(String a, int b, long c, boolean d, double e, EffectCall call) {
    say(a, b, c, d, e, call.attempt());
  }

  private Step methodReferences() {
    return seq(
        effect("v0", this::v0).as(OUT),
        effect("v1", A, this::v1).as(OUT),
        effect("v2", A, B, this::v2).as(OUT),
        effect("v3", A, B, C, this::v3).as(OUT),
        effect("v4", A, B, C, D, this::v4).as(OUT),
        effect("v5", A, B, C, D, E, this::v5).as(OUT),
        effect("w0", this::w0).as(OUT),
        effect("w1", A, this::w1).as(OUT),
        effect("w2", A, B, this::w2).as(OUT),
        effect("w3", A, B, C, this::w3).as(OUT),
        effect("w4", A, B, C, D, this::w4).as(OUT),
        effect("w5", A, B, C, D, E, this::w5).as(OUT),
        action("x1", A, this::x1),
        action("y1", A, this::y1),
        action("x5", A, B, C, D, E, this::x5),
        action("y5", A, B, C, D, E, this::y5),
        action("a method that returns a value", A, this::v1));
  }

  private Step lambdas() {
    return seq(
        effect("l0", () -> say()).as(OUT),
        effect("l1", A, a -> say(a)).as(OUT),
        effect("l2", A, B, (a, b) -> say(a, b)).as(OUT),
        effect("l3", A, B, C, (a, b, c) -> say(a, b, c)).as(OUT),
        effect("l4", A, B, C, D, (a, b, c, d) -> say(a, b, c, d)).as(OUT),
        effect("l5", A, B, C, D, E, (a, b, c, d, e) -> say(a, b, c, d, e)).as(OUT),
        effect("m0", call -> say(call.attempt())).as(OUT),
        effect("m1", A, (a, call) -> say(a, call.attempt())).as(OUT),
        effect("m2", A, B, (a, b, call) -> say(a, b, call.attempt())).as(OUT),
        effect("m5", A, B, C, D, E, (a, b, c, d, e, call) -> say(a, b, c, d, e, call.attempt()))
            .as(OUT),
        effect("typed", A, (String a) -> say(a)).as(OUT),
        effect("typed with call", A, (String a, EffectCall call) -> say(a, call.attempt())).as(OUT),
        effect(
                "block",
                A,
                a -> {
                  String said = say(a);
                  return said;
                })
            .as(OUT),
        effect(
                "block with call",
                A,
                B,
                (a, b, call) -> {
                  return say(a, b, call.attempt());
                })
            .as(OUT),
        effect(
            "throws",
            A,
            a -> {
              if (a.isEmpty()) {
                throw new java.io.IOException("empty");
              }
              return say(a);
            }));
  }

  private Step actions() {
    return seq(
        action("n0", () -> say()),
        action("n1", A, a -> say(a)),
        action("n2", A, B, (a, b) -> say(a, b)),
        action("n3", A, B, C, (a, b, c) -> say(a, b, c)),
        action("n4", A, B, C, D, (a, b, c, d) -> say(a, b, c, d)),
        action("n5", A, B, C, D, E, (a, b, c, d, e) -> say(a, b, c, d, e)),
        action("o0", call -> say(call.attempt())),
        action("o1", A, (a, call) -> say(a, call.attempt())),
        action("o5", A, B, C, D, E, (a, b, c, d, e, call) -> say(a, b, c, d, e, call.attempt())),
        action("typed", A, (String a) -> say(a)),
        action(
            "block",
            A,
            a -> {
              say(a);
            }),
        action(
            "block with call",
            A,
            (a, call) -> {
              say(a, call.attempt());
            }));
  }

  private static Step values() {
    return seq(
        Steps.set(A, "x"),
        Steps.set(B, 2),
        Steps.set(C, 3L),
        Steps.set(D, true),
        Steps.set(E, 5.5));
  }

  private static Step tasks() {
    return seq(
        task("t1", A, a -> a + 1).as(OUT),
        task("t2", A, B, (a, b) -> a + b).as(OUT),
        task("t3", A, B, C, (a, b, c) -> a + b + c).as(OUT),
        task("t4", A, B, C, D, (a, b, c, d) -> a + b + c + d).as(OUT),
        task("t5", A, B, C, D, E, (a, b, c, d, e) -> a + b + c + d + e).as(OUT));
  }

  @Test
  void every_form_compiles_and_receives_its_values() {
    Key<String> in = Key.of("in", String.class);
    TypedWorkflow<String, String> flow =
        workflow("forms", in, OUT, values(), methodReferences(), lambdas(), actions(), tasks());

    try (Engine engine = Engine.open(flow)) {
      assertThat(engine.start(flow, "one", "start").join()).isEqualTo("x23true5.5");
    }

    assertThat(seen).hasSize(17 + 15 + 12);
    assertThat(seen)
        .allMatch(each ->
            List.of(
                    "[]",
                    "[1]",
                    "[x]",
                    "[x, 1]",
                    "[x, 2]",
                    "[x, 2, 1]",
                    "[x, 2, 3]",
                    "[x, 2, 3, 1]",
                    "[x, 2, 3, true]",
                    "[x, 2, 3, true, 1]",
                    "[x, 2, 3, true, 5.5]",
                    "[x, 2, 3, true, 5.5, 1]")
                .contains(each));
  }

  String i1(String a, Connection connection) {
    return a + connection;
  }

  String i2(String a, int b, Connection connection) {
    return a + b + connection;
  }

  String i5(String a, int b, long c, boolean d, double e, Connection connection) {
    return a + b + c + d + e + connection;
  }

  String j1(String a, EffectCall call, Connection connection) {
    return a + call + connection;
  }

  String j5(String a, int b, long c, boolean d, double e, EffectCall call, Connection connection) {
    return a + b + c + d + e + call + connection;
  }

  private void m1(String a, Connection connection) {}

  private void m5(String a, int b, long c, boolean d, double e, Connection connection) {}

  private void n1(String a, EffectCall call, Connection connection) {}

  /// The forms of `transactionAction`, as those of `transaction`.
  private Step transactionActions() {
    return seq(
        transactionAction("m1", A, this::m1),
        transactionAction("m5", A, B, C, D, E, this::m5),
        transactionAction("n1", A, this::n1),
        transactionAction("o1", A, (a, connection) -> say(a + connection)),
        transactionAction("o2", A, B, (a, b, connection) -> say(a + b + connection)),
        transactionAction("o3", A, B, C, (a, b, c, connection) -> say(a + b + c + connection)),
        transactionAction(
            "o4", A, B, C, D, (a, b, c, d, connection) -> say(a + b + c + d + connection)),
        transactionAction(
            "o5", A, B, C, D, E, (a, b, c, d, e, connection) -> say(a + b + c + d + e)),
        transactionAction("p1", A, (a, call, connection) -> say(a + call.key())),
        transactionAction("p2", A, B, (a, b, call, connection) -> say(a + b + call.key())),
        transactionAction("p3", A, B, C, (a, b, c, call, connection) -> say(a + call.key())),
        transactionAction("p4", A, B, C, D, (a, b, c, d, call, connection) -> say(a + d)),
        transactionAction("p5", A, B, C, D, E, (a, b, c, d, e, call, connection) -> say(a + e)),
        transactionAction("q1", A, (String a, Connection connection) -> say(a)),
        transactionAction(
            "q2",
            A,
            (a, connection) -> {
              say(a);
            }));
  }

  @Test
  void a_transaction_that_returns_nothing_is_delivered_exactly_once() {
    Key<String> in = Key.of("in", String.class);
    TypedWorkflow<String, Context> flow = workflow("forms", in, values(), transactionActions());

    assertThatThrownBy(() -> Engine.open(flow).close())
        .hasMessageContaining("task m1 has delivery exactlyOnce, but this store joins no");
  }

  /// The forms of `transaction`: one to five keys, method reference, lambda with and without types,
  /// block lambda, with and without the call.
  private Step transactions() {
    return seq(
        transaction("i1", A, this::i1).as(OUT),
        transaction("i2", A, B, this::i2).as(OUT),
        transaction("i5", A, B, C, D, E, this::i5).as(OUT),
        transaction("j1", A, this::j1).as(OUT),
        transaction("j5", A, B, C, D, E, this::j5).as(OUT),
        transaction("k1", A, (a, connection) -> a + connection).as(OUT),
        transaction("k2", A, B, (a, b, connection) -> a + b + connection).as(OUT),
        transaction("k3", A, B, C, (a, b, c, connection) -> a + b + c + connection).as(OUT),
        transaction("k4", A, B, C, D, (a, b, c, d, connection) -> a + b + c + d + connection)
            .as(OUT),
        transaction(
                "k5", A, B, C, D, E, (a, b, c, d, e, connection) -> a + b + c + d + e + connection)
            .as(OUT),
        transaction("l1", A, (a, call, connection) -> a + call + connection).as(OUT),
        transaction("l2", A, B, (a, b, call, connection) -> a + b + call + connection).as(OUT),
        transaction("l3", A, B, C, (a, b, c, call, connection) -> a + b + c + call + connection)
            .as(OUT),
        transaction(
                "l4",
                A,
                B,
                C,
                D,
                (a, b, c, d, call, connection) -> a + b + c + d + call + connection)
            .as(OUT),
        transaction(
                "l5",
                A,
                B,
                C,
                D,
                E,
                (a, b, c, d, e, call, connection) -> a + b + c + d + e + call + connection)
            .as(OUT),
        transaction("types", A, (String a, Connection connection) -> a + connection).as(OUT),
        transaction(
                "block",
                A,
                (a, connection) -> {
                  if (connection.isClosed()) {
                    throw new java.sql.SQLException("closed");
                  }
                  return a;
                })
            .as(OUT));
  }

  @Test
  void a_transaction_is_refused_by_a_store_that_joins_none() {
    Key<String> in = Key.of("in", String.class);
    TypedWorkflow<String, Context> flow = workflow("forms", in, values(), transactions());

    assertThatThrownBy(() -> Engine.open(flow).close())
        .hasMessage(
            "workflow forms: task i1 has delivery exactlyOnce, but this store joins no"
                + " transactions; open the engine on PostgreSQL, or use another delivery");
  }

  @Test
  void a_transaction_has_no_other_delivery() {
    assertThatThrownBy(() -> transaction("i1", A, this::i1).atMostOnce())
        .hasMessage("transaction 'i1' is always delivered exactly once");
  }
}
