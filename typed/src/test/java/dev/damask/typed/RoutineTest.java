package dev.damask.typed;

import static dev.damask.typed.Steps.call;
import static dev.damask.typed.Steps.definition;
import static dev.damask.typed.Steps.each;
import static dev.damask.typed.Steps.effect;
import static dev.damask.typed.Steps.fail;
import static dev.damask.typed.Steps.otherwise;
import static dev.damask.typed.Steps.set;
import static dev.damask.typed.Steps.task;
import static dev.damask.typed.Steps.when;
import static dev.damask.typed.Steps.workflow;
import static dev.damask.typed.Steps.xor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.cases.Engine;
import dev.damask.cases.Run;
import dev.damask.term.Workflow;
import dev.damask.value.Context;
import dev.damask.value.Key;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Definitions with a typed argument and a typed result.
@Timeout(30)
final class RoutineTest {
  record Cart(String owner, int price) {}

  record Order(String customer, int amount) {}

  record Receipt(String text) {}

  private static final Key<Cart> CART = Key.of(Cart.class);
  private static final Key<Order> ORDER_OF_CART =
      CART.get("order", cart -> new Order(cart.owner(), cart.price()));
  private static final Key<Order> ORDER = Key.of(Order.class);
  private static final Key<Receipt> RECEIPT = Key.of(Receipt.class);
  private static final Key<Receipt> PROOF = Key.of("proof", Receipt.class);
  private static final Key<String> NOTE = Key.of("note", String.class);
  private static final Key<Integer> N = Key.of("n", Integer.class);
  private static final Key<Integer> SUM = Key.of("sum", Integer.class);
  private static final Key<Integer> REST = Key.of("rest", Integer.class);

  private static final Routine<Order, Receipt> PAY = Routine.of("pay", ORDER, RECEIPT);
  private static final Routine<Integer, Integer> ADD = Routine.of("add", N, SUM);

  private static Receipt pay(Order order) {
    return new Receipt(order.customer() + " " + order.amount());
  }

  private static void refused(ThrowingCallable building, String... parts) {
    assertThatThrownBy(building).isInstanceOf(IllegalArgumentException.class);
    for (String part : parts) {
      assertThatThrownBy(building).hasMessageContaining(part);
    }
  }

  private static Set<String> entries(Run<?> run) {
    return run.engine().status(run.caseId()).context().toMap().keySet();
  }

  @Test
  void a_routine_gets_its_argument_alone_and_returns_its_result_alone() {
    Workflow<Cart, Receipt> flow =
        workflow(
                "shop", CART, PROOF, set(NOTE, "of the caller"), call(PAY, ORDER_OF_CART).as(PROOF))
            .definitions(
                definition(
                    PAY,
                    set(NOTE, "inside"),
                    effect("charge", ORDER, RoutineTest::pay).as(RECEIPT)));

    try (Engine engine = Engine.open(flow)) {
      Run<Receipt> run = engine.start(flow, "one", new Cart("acme", 7));

      assertThat(run.join()).isEqualTo(new Receipt("acme 7"));
      assertThat(entries(run)).containsExactlyInAnyOrder("cart", "note", "proof");
      assertThat(engine.status("one").context().get("note")).isEqualTo("of the caller");
    }
  }

  @Test
  void a_result_that_is_not_stored_leaves_nothing_behind() {
    Workflow<Order, Context> flow =
        workflow("shop", ORDER, call(PAY, ORDER))
            .definitions(definition(PAY, task("pay", ORDER, RoutineTest::pay).as(RECEIPT)));

    try (Engine engine = Engine.open(flow)) {
      Run<Context> run = engine.start(flow, "one", new Order("acme", 7));

      assertThat(run.join().toMap().keySet()).containsExactly("order");
    }
  }

  @Test
  void a_routine_may_call_itself() {
    Workflow<Integer, Integer> flow =
        workflow("sums", N, SUM, call(ADD, N).as(SUM))
            .definitions(
                definition(
                    ADD,
                    xor(
                        when("done", N, n -> n == 0, set(SUM, 0)),
                        otherwise(
                            call(ADD, N.get("less", n -> n - 1)).as(REST),
                            task("plus", N, REST, Integer::sum).as(SUM)))));

    try (Engine engine = Engine.open(flow)) {
      assertThat(engine.start(flow, "one", 10).join()).isEqualTo(55);
    }
  }

  @Test
  void instances_of_a_definition_wait_for_their_turn() {
    Key<List<Integer>> numbers = Key.list("numbers", Integer.class);
    Key<List<Integer>> sums = Key.list("sums", Integer.class);
    Routine<List<Integer>, List<Integer>> all = Routine.of("all", numbers, sums);
    Workflow<List<Integer>, List<Integer>> flow =
        workflow("w", numbers, sums, call(all, numbers).as(sums))
            .definitions(
                definition(
                    all,
                    each(numbers, N, effect("double", N, n -> 2 * n).as(SUM))
                        .collect(SUM, sums)
                        .atOnce(2)));

    try (Engine engine = Engine.open(flow)) {
      assertThat(engine.start(flow, "one", List.of(1, 2, 3, 4)).join()).containsExactly(2, 4, 6, 8);
    }
  }

  @Test
  void a_result_that_a_path_does_not_write_is_refused() {
    refused(
        () ->
            workflow("w", ORDER, RECEIPT, call(PAY, ORDER).as(RECEIPT))
                .definitions(
                    definition(
                        PAY,
                        xor(
                            when(
                                "big",
                                ORDER,
                                o -> o.amount() > 9,
                                task("pay", ORDER, RoutineTest::pay).as(RECEIPT)),
                            otherwise()))),
        "workflow w: ",
        "'result of pay' reads 'receipt', which is not written on every path",
        "available here: [order]");
    assertThat(
            workflow("w", ORDER, RECEIPT, call(PAY, ORDER).as(RECEIPT))
                .definitions(definition(PAY, fail("never"))))
        .isNotNull();
  }

  @Test
  void an_argument_that_is_missing_and_a_key_of_the_caller_are_refused() {
    refused(
        () ->
            workflow("w", CART, RECEIPT, call(PAY, ORDER).as(RECEIPT))
                .definitions(definition(PAY, task("pay", ORDER, RoutineTest::pay).as(RECEIPT))),
        "'argument of pay' reads 'order'",
        "available here: [cart]");
    refused(
        () ->
            workflow("w", CART, RECEIPT, call(PAY, ORDER_OF_CART).as(RECEIPT))
                .definitions(
                    definition(
                        PAY, task("pay", CART, cart -> new Receipt(cart.owner())).as(RECEIPT))),
        "'pay' reads 'cart'",
        "available here: [order]");
  }

  @Test
  void a_definition_without_the_result_of_its_routine_is_refused() {
    refused(
        () ->
            workflow("w", ORDER, RECEIPT, call(PAY, ORDER).as(RECEIPT))
                .definitions(definition("pay", task("pay", ORDER, RoutineTest::pay).as(RECEIPT))),
        "workflow w: call pay: the definition does not declare the result 'receipt'",
        "definition(Routine, …)");
  }

  @Test
  void a_routine_needs_a_name_and_an_argument_that_can_be_written() {
    refused(() -> Routine.of(" ", ORDER, RECEIPT), "a routine needs a name");
    refused(
        () -> Routine.of("pay", ORDER_OF_CART, RECEIPT),
        "routine pay: the argument is written to a key, not to the view 'cart.order'");
  }
}
