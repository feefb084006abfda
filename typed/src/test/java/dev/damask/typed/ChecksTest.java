package dev.damask.typed;

import static dev.damask.typed.Steps.action;
import static dev.damask.typed.Steps.after;
import static dev.damask.typed.Steps.call;
import static dev.damask.typed.Steps.child;
import static dev.damask.typed.Steps.defer;
import static dev.damask.typed.Steps.definition;
import static dev.damask.typed.Steps.each;
import static dev.damask.typed.Steps.effect;
import static dev.damask.typed.Steps.fail;
import static dev.damask.typed.Steps.on;
import static dev.damask.typed.Steps.otherwise;
import static dev.damask.typed.Steps.par;
import static dev.damask.typed.Steps.repeatWhile;
import static dev.damask.typed.Steps.scope;
import static dev.damask.typed.Steps.task;
import static dev.damask.typed.Steps.when;
import static dev.damask.typed.Steps.workflow;
import static dev.damask.typed.Steps.xor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseCancelledException;
import dev.damask.caller.CaseFailedException;
import dev.damask.caller.CaseStuckException;
import dev.damask.cases.Engine;
import dev.damask.cases.Run;
import dev.damask.compile.Compiler;
import dev.damask.program.ProgramHash;
import dev.damask.term.Flow;
import dev.damask.term.Merge;
import dev.damask.term.Signal;
import dev.damask.term.Workflow;
import dev.damask.value.Context;
import dev.damask.value.Key;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/// Mistakes are found when a workflow is built, with the task and the keys that are available.
final class ChecksTest {
  record Order(String customer) {}

  record Parcel(String label) {}

  private static final Key<Order> ORDER = Key.of(Order.class);
  private static final Key<Parcel> PARCEL = Key.of(Parcel.class);
  private static final Key<Integer> COUNT = Key.of("count", Integer.class);
  private static final Signal<Parcel> FOUND = Signal.of("found", Parcel.class);

  private static TypedTask<Parcel> ship(String name) {
    return effect(name, ORDER, o -> new Parcel(o.customer())).as(PARCEL);
  }

  private static void refused(ThrowingCallable building, String... parts) {
    assertThatThrownBy(building)
        .isInstanceOf(IllegalArgumentException.class)
        .satisfies(e -> {
          for (String part : parts) {
            assertThat(e).hasMessageContaining(part);
          }
        });
  }

  @Test
  void a_key_that_nothing_writes_is_named_with_the_task_and_what_is_available() {
    refused(
        () -> workflow("w", ORDER, action("print", PARCEL, p -> {})),
        "workflow w",
        "'print' reads 'parcel'",
        "available here: [order]");
  }

  @Test
  void a_key_that_only_one_branch_writes_is_refused() {
    refused(
        () ->
            workflow(
                "w",
                ORDER,
                xor(when("big", ORDER, o -> true, ship("ship")), otherwise()),
                action("print", PARCEL, p -> {})),
        "'print' reads 'parcel', which is not written on every path");
  }

  @Test
  void a_branch_that_fails_counts_as_writing_every_key() {
    Workflow<Order, Parcel> flow =
        workflow(
            "w",
            ORDER,
            PARCEL,
            xor(when("big", ORDER, o -> true, ship("ship")), otherwise(fail("small"))));

    assertThat(flow.name()).isEqualTo("w");
  }

  @Test
  void two_parallel_branches_do_not_write_one_key_without_a_merge() {
    refused(
        () -> workflow("w", ORDER, par(ship("a"), ship("b"))),
        "key 'parcel' is written by two parallel branches");
    assertThat(workflow("w", ORDER, par(ship("a"), ship("b")).merge(Merge.Standard.FIRST)))
        .isNotNull();
    assertThat(workflow("w", ORDER, par(ship("a"), ship("b")).merge("newer", PARCEL, (a, b) -> b)))
        .isNotNull();
  }

  @Test
  void a_result_that_is_not_written_on_every_path_is_refused() {
    refused(() -> workflow("w", ORDER, PARCEL, action("print", ORDER, o -> {})), "'parcel'");
    refused(
        () ->
            workflow("w", ORDER, PARCEL, defer(on(FOUND, ship("ship")), after(Duration.ofDays(1)))),
        "'parcel'");
  }

  @Test
  void loops_may_not_run_and_instances_give_only_what_they_collect() {
    refused(
        () -> workflow("w", ORDER, PARCEL, repeatWhile("more", ORDER, o -> true, ship("ship"))),
        "'parcel'");
    Key<List<Order>> orders = Key.list("orders", Order.class);
    Key<List<Parcel>> parcels = Key.list("parcels", Parcel.class);
    refused(() -> workflow("w", orders, PARCEL, each(orders, ORDER, ship("s"))), "'parcel'");
    refused(
        () ->
            workflow(
                "w",
                orders,
                parcels,
                each(orders, ORDER, action("print", ORDER, o -> {})).collect(PARCEL, parcels)),
        "'parcel'");
    assertThat(
            workflow("w", orders, parcels, each(orders, ORDER, ship("s")).collect(PARCEL, parcels)))
        .isNotNull();
  }

  @Test
  void a_catch_knows_what_was_there_on_entry_and_the_failure() {
    refused(
        () ->
            workflow(
                "w", ORDER, scope("s", ship("ship")).onFailure(action("print", PARCEL, p -> {}))),
        "'print' reads 'parcel'");
    assertThat(
            workflow(
                "w",
                ORDER,
                scope("s", ship("ship"))
                    .onFailure(action("print", Steps.FAILURE, ORDER, (f, o) -> {}))))
        .isNotNull();
  }

  @Test
  void a_key_with_two_types_is_refused() {
    Key<String> other = Key.of("order", String.class);

    refused(
        () -> workflow("w", ORDER, action("print", other, o -> {})),
        "print: key 'order' has type String, but Order elsewhere");
  }

  @Test
  void a_definition_is_checked_with_the_keys_of_its_calls() {
    refused(
        () ->
            workflow("w", ORDER, call("d"))
                .definitions(definition("d", action("print", PARCEL, p -> {}))),
        "'print' reads 'parcel'");
    assertThat(workflow("w", ORDER, PARCEL, call("d")).definitions(definition("d", ship("ship"))))
        .isNotNull();
  }

  @Test
  void a_scope_refuses_a_task_whose_type_it_does_not_allow() {
    refused(
        () -> scope("pay", ship("ship"), action("print", ORDER, o -> {})).allow("ship"),
        "scope pay: task 'print' has the effect type 'print', which the scope does not allow",
        "allowed: [ship]");
    refused(
        () -> scope("pay", ship("ship").undo(ORDER, o -> {})).allow("ship"),
        "task 'undo ship' has the effect type 'undo ship'");
    refused(
        () ->
            scope(
                    "pay",
                    child("bill", workflow("bill", ORDER, PARCEL, ship("ship")), ORDER).as(PARCEL))
                .allow("ship"),
        "task 'bill' has the effect type 'child'");
  }

  @Test
  void a_child_may_use_only_what_the_scope_of_its_task_allows() {
    Workflow<Order, Parcel> bill = workflow("bill", ORDER, PARCEL, ship("ship"));
    Workflow<Order, Parcel> flow =
        workflow(
            "w",
            ORDER,
            PARCEL,
            scope("narrow", child("bill", bill, ORDER).as(PARCEL)).allow("child"));
    Workflow<Order, Parcel> wide =
        workflow(
            "w",
            ORDER,
            PARCEL,
            scope("s", child("bill", bill, ORDER).as(PARCEL)).allow("child", "ship"));

    try (Engine engine = Engine.open(flow)) {
      assertThatThrownBy(() -> engine.start(flow, "one", new Order("acme")).join())
          .hasMessageContaining("its case allows [child] and not effects of type ship");
    }
    try (Engine engine = Engine.open(wide)) {
      assertThat(engine.start(wide, "one", new Order("acme")).join()).isEqualTo(new Parcel("acme"));
    }
  }

  @Test
  void functions_and_conditions_need_a_name() {
    refused(() -> task("", ORDER, Order::customer), "a function needs a name");
    refused(() -> when(" ", ORDER, o -> true), "a condition needs a name");
    refused(() -> effect("", ORDER, Order::customer), "a task needs a name");
    refused(() -> ORDER.get("", Order::customer), "a view of key 'order' needs a name");
  }

  @Test
  void a_view_cannot_be_written() {
    Key<String> customer = ORDER.get("customer", Order::customer);

    refused(
        () -> effect("name", ORDER, Order::customer).as(customer),
        "'order.customer' is a view and cannot be written");
  }

  @Test
  void the_keys_of_a_task_are_part_of_the_program() {
    Key<Parcel> other = Key.of("other", Parcel.class);
    ProgramHash flat =
        Compiler.compile(Flow.workflow("w", Flow.effect("ship", context -> null))).hash();
    ProgramHash typed = hash(workflow("w", ORDER, ship("ship")));

    assertThat(typed).isNotEqualTo(flat).isEqualTo(hash(workflow("w", ORDER, ship("ship"))));
    assertThat(typed)
        .isNotEqualTo(hash(workflow("w", ORDER, effect("ship", ORDER, o -> o).as(ORDER))))
        .isNotEqualTo(
            hash(workflow("w", ORDER, effect("ship", ORDER, o -> new Parcel("")).as(other))));
  }

  private static ProgramHash hash(Workflow<?, ?> flow) {
    return Compiler.compile(flow.definition()).hash();
  }

  @Test
  void join_throws_for_every_end_without_a_result() {
    Signal<Void> never = Signal.of("never");
    Workflow<Order, Parcel> fails =
        workflow("fails", ORDER, PARCEL, effect("ship", ORDER, o -> refuse(o)).as(PARCEL));
    Workflow<Order, Parcel> waits =
        workflow("waits", ORDER, PARCEL, defer(on(never, ship("ship"))));
    Workflow<Order, Parcel> stuck =
        TypedWorkflow.of(
            Flow.workflow("stuck", Flow.take("nothing"), ship("ship").term())
                .withPlaces(dev.damask.term.Place.internal("nothing")),
            ORDER,
            PARCEL);

    try (Engine engine = Engine.open(fails, waits, stuck)) {
      assertThatThrownBy(() -> engine.start(fails, "f", new Order("acme")).join())
          .isInstanceOfSatisfying(
              CaseFailedException.class, e -> assertThat(e.failure().detail()).contains("no acme"));
      Run<Parcel> run = engine.start(waits, "w", new Order("acme"));
      run.cancel("case", "not now");
      assertThatThrownBy(run::join)
          .isInstanceOf(CaseCancelledException.class)
          .hasMessage("case w was cancelled: not now");
      assertThatThrownBy(() -> engine.start(stuck, "s", new Order("acme")).join())
          .isInstanceOf(CaseStuckException.class)
          .hasMessageContaining("case s is stuck");
    }
  }

  private static Parcel refuse(Order order) {
    throw new IllegalStateException("no " + order.customer());
  }

  @Test
  void a_write_of_the_same_value_is_a_write() {
    Workflow<Integer, Integer> flow =
        workflow(
            "w",
            COUNT,
            COUNT,
            par(task("same", COUNT, n -> n).as(COUNT), task("more", COUNT, n -> n + 1).as(COUNT))
                .merge(Merge.Standard.FIRST));

    try (Engine engine = Engine.open(flow)) {
      assertThat(engine.start(flow, "one", 7).join()).isEqualTo(7);
    }
  }

  @SuppressWarnings("NullAway") // a caller without null checks
  private static String nothing() {
    return null;
  }

  @Test
  void an_input_or_payload_with_null_is_refused_before_anything_is_stored() {
    Workflow<Order, Context> flow = workflow("w", ORDER, defer(on(FOUND)));

    try (Engine engine = Engine.open(flow)) {
      assertThatThrownBy(() -> engine.start(flow, "none", new Order(nothing())))
          .hasMessage("order.customer: null is not allowed; declare Optional<String>");
      assertThatThrownBy(() -> engine.status("none")).isInstanceOf(IllegalArgumentException.class);
      Run<Context> run = engine.start(flow, "one", new Order("acme"));
      assertThatThrownBy(() -> run.signal(FOUND, new Parcel(nothing())))
          .hasMessage("found.label: null is not allowed; declare Optional<String>");
      assertThat(run.status().places()).contains("found");
    }
  }

  @Test
  void a_result_that_cannot_be_stored_fails_its_task_with_the_path_and_is_not_tried_again() {
    Workflow<Order, Parcel> flow =
        workflow(
            "w",
            ORDER,
            PARCEL,
            effect("ship", ORDER, o -> new Parcel(nothing()))
                .as(PARCEL)
                .retry(Steps.exponential(3)));

    try (Engine engine = Engine.open(flow)) {
      Run<Parcel> run = engine.start(flow, "one", new Order("acme"));

      assertThatThrownBy(run::join)
          .hasMessageContaining("expression in task ship")
          .hasMessageContaining("parcel.label: null is not allowed");
      assertThat(run.receipts()).hasSize(1);
    }
  }

  @Test
  void attributes_are_computed_from_the_data_of_a_case() {
    TypedWorkflow<Order, Context> flow =
        workflow("w", ORDER, defer(on(FOUND)))
            .attribute("customer", ORDER, Order::customer)
            .attribute("label", PARCEL, Parcel::label);

    assertThat(flow.attributes(flow.encode(new Order("acme"))))
        .isEqualTo(java.util.Map.of("customer", "acme"));
    assertThatThrownBy(() -> flow.attribute("customer", ORDER, Order::customer))
        .hasMessageContaining("attribute 'customer'");
  }
}
