package dev.damask.typed;

import static dev.damask.typed.Steps.child;
import static dev.damask.typed.Steps.defer;
import static dev.damask.typed.Steps.effect;
import static dev.damask.typed.Steps.on;
import static dev.damask.typed.Steps.park;
import static dev.damask.typed.Steps.script;
import static dev.damask.typed.Steps.set;
import static dev.damask.typed.Steps.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.clock.VirtualClock;
import dev.damask.effect.EffectException;
import dev.damask.ops.SignatureChange;
import dev.damask.store.MemoryStore;
import dev.damask.term.Declared;
import dev.damask.term.Signal;
import dev.damask.term.Workflow;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.Key;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Handlers, scripts, children and records with other types than the cases were started with.
@Timeout(20)
final class SignatureTest {
  record Order(String id, BigDecimal price) {}

  record Purchase(String id) {}

  private final MemoryStore store = new MemoryStore();
  private final VirtualClock clock = new VirtualClock(1_000_000);
  private final EngineOptions options = EngineOptions.defaults().withClock(clock);

  private static String charge(Object order) throws EffectException {
    throw new EffectException("down", "the bank is down: " + order);
  }

  private static <T> TypedWorkflow<T, Context> flow(Class<T> type) {
    Key<T> key = Key.of("order", type);
    return workflow(
        "order",
        key,
        effect("charge", key, SignatureTest::charge)
            .as(Key.of("payment", String.class))
            .onExhausted(park()));
  }

  @Test
  void a_changed_signature_is_reported_with_the_cases_that_were_started_before() throws Exception {
    try (var engine = Engine.open(options, store, flow(Order.class))) {
      assertThat(engine.signatureChanges()).isEmpty();
      engine.start(flow(Order.class), "c1", new Order("a", BigDecimal.TEN));
      while (engine.incidents().list().isEmpty()) {
        LockSupport.parkNanos(100_000);
      }
      assertThat(engine.signatureChanges()).isEmpty();
    }

    clock.advance(1_000);
    for (int opening = 0; opening < 2; opening++) {
      try (var engine = Engine.open(options, store.reopened(), flow(Purchase.class))) {
        SignatureChange change = engine.signatureChanges().getFirst();
        assertThat(change.task()).isEqualTo("charge");
        assertThat(change.cases()).isOne();
        assertThat(change.toString())
            .contains("workflow order: the handler of task charge is (order: ")
            .contains("Purchase")
            .contains("Order")
            .contains("1 case was started before, such as c1");
      }
    }

    try (var engine = Engine.open(options, store.reopened(), flow(Purchase.class))) {
      engine.cancel("c1");
      assertThat(engine.signatureChanges()).isEmpty();
    }
  }

  enum Color {
    RED,
    GREEN
  }

  sealed interface Means permits Card, Cash {}

  record Card(String number) implements Means {}

  record Cash() implements Means {}

  record Line(String article, Optional<Color> color, List<Line> parts) {}

  record Cart(Line line, Means means, @Nullable String note, Map<Color, Integer> counts) {}

  private static final Key<Cart> CART = Key.of(Cart.class);
  private static final Key<String> PAYMENT = Key.of("payment", String.class);
  private static final Signal<Void> GO = Signal.of("go");

  private static TypedWorkflow<Cart, Context> scripted() {
    Workflow<Cart, String> child =
        workflow("bill", CART, PAYMENT, effect("bill", CART, Cart::toString).as(PAYMENT));
    return workflow(
        "cart",
        CART,
        defer(on(GO)),
        script("fulfil", CART, (Cart cart, Script script) -> "ok").as(PAYMENT),
        child("invoice", child, CART).as(Key.of("invoice", String.class)));
  }

  @Test
  void a_workflow_declares_its_scripts_and_the_parts_of_its_types() {
    String own = SignatureTest.class.getName() + "$";
    Map<String, String> signatures = scripted().definition().declared().signatures();

    assertThat(signatures)
        .containsEntry("fulfil", "(cart: Cart) -> (payment: String)")
        .containsEntry("record " + own + "Cart.line", "Line")
        .containsEntry("record " + own + "Cart.note", "String?")
        .containsEntry("record " + own + "Cart.counts", "Map<Color, Integer>?")
        .containsEntry("record " + own + "Line.color", "Color?")
        .containsEntry("record " + own + "Line.parts", "List<Line>?")
        .containsEntry("record " + own + "Card.number", "String")
        .containsEntry("sealed " + own + "Means.Cash", "a record")
        .containsEntry("enum " + own + "Color.RED", "a constant")
        .hasSize(19);
  }

  /// What the report says when a case was started with some other signatures.
  private List<String> reported(Map<String, String> before) throws Exception {
    WorkflowDefinition now = scripted().definition();
    Declared declared = now.declared();
    Map<String, String> old = new TreeMap<>(declared.signatures());
    before.forEach((part, signature) -> {
      if (signature.isEmpty()) {
        old.remove(part);
      } else {
        old.put(part, signature);
      }
    });
    WorkflowDefinition then =
        now.withDeclared(
            new Declared(
                declared.attributes(),
                declared.input(),
                declared.output(),
                List.of(),
                List.of(),
                List.of(),
                false,
                declared.payloads(),
                old));
    MemoryStore own = new MemoryStore();
    try (var engine = Engine.open(options, own, then)) {
      engine.start(then, "c1", scripted().encode(CART_1));
      assertThat(engine.signatureChanges()).isEmpty();
    }
    clock.advance(1_000);
    try (var engine = Engine.open(options, own.reopened(), now)) {
      return engine.signatureChanges().stream().map(SignatureChange::toString).toList();
    }
  }

  private static final Cart CART_1 =
      new Cart(new Line("a", Optional.empty(), List.of()), new Cash(), null, Map.of());

  private static final String TYPE = SignatureTest.class.getName() + "$";

  @Test
  void a_changed_script_is_reported() throws Exception {
    assertThat(reported(Map.of("fulfil", "(order: Order) -> (payment: String)")))
        .containsExactly(
            "workflow cart: the handler of task fulfil is (cart: Cart) -> (payment: String) now and"
                + " was (order: Order) -> (payment: String); 1 case was started before, such as c1;"
                + " keep the old types readable, or migrate the cases");
  }

  @Test
  void a_record_is_reported_if_old_values_do_not_fit_it() throws Exception {
    assertThat(reported(Map.of("record " + TYPE + "Card.number", "Integer")))
        .singleElement()
        .asString()
        .startsWith(
            "workflow cart: record " + TYPE + "Card.number is String now and was Integer; 1 case");
    assertThat(reported(Map.of("record " + TYPE + "Line.article", "")))
        .singleElement()
        .asString()
        .contains("Line.article is String now and was missing");
    assertThat(reported(Map.of("enum " + TYPE + "Color.BLUE", "a constant")))
        .singleElement()
        .asString()
        .contains("Color.BLUE is missing now and was a constant");
    assertThat(reported(Map.of("sealed " + TYPE + "Means.Voucher", "a record")))
        .singleElement()
        .asString()
        .contains("Means.Voucher is missing now and was a record");
  }

  @Test
  void a_change_that_old_values_fit_is_not_reported() throws Exception {
    assertThat(
            reported(
                Map.of(
                    "record " + TYPE + "Cart.note", "", // an optional part was added
                    "record " + TYPE + "Line.color", "Color", // a part became optional
                    "record " + TYPE + "Line.old", "String", // a part was removed
                    "enum " + TYPE + "Color.GREEN", "",
                    "sealed " + TYPE + "Means.Cash", "")))
        .isEmpty();
  }

  @Test
  void a_changed_child_is_reported() throws Exception {
    Key<Integer> number = Key.of("double", Integer.class);
    Key<String> text = Key.of("double", String.class);
    Key<Integer> n = Key.of("n", Integer.class);
    Workflow<Integer, Integer> child = workflow("child", n, number, defer(on(GO)), set(number, 1));
    Workflow<Integer, String> other = workflow("child", n, text, defer(on(GO)), set(text, "1"));
    var before = workflow("parent", n, child("run", child, n).as(number));
    var after = workflow("parent", n, child("run", other, n).as(text));
    try (var engine = Engine.open(options, store, before)) {
      engine.start(before, "c1", 1);
    }

    clock.advance(1_000);
    try (var engine = Engine.open(options, store.reopened(), after)) {
      assertThat(engine.signatureChanges())
          .singleElement()
          .asString()
          .contains(
              "the handler of task run is (n: Integer) -> (double: String) now and was"
                  + " (n: Integer) -> (double: Integer); 1 case was started before, such as c1");
    }
  }

  @Test
  void a_change_is_reported_until_its_cases_have_ended_whatever_changes_later() throws Exception {
    try (var engine = Engine.open(options, store, flow(Order.class))) {
      engine.start(flow(Order.class), "c1", new Order("a", BigDecimal.TEN));
    }
    clock.advance(1_000);
    Engine.open(options, store.reopened(), flow(Purchase.class)).close();
    clock.advance(1_000);
    Engine.open(options, store.reopened(), flow(Line.class)).close();

    try (var engine = Engine.open(options, store.reopened(), flow(Line.class))) {
      assertThat(engine.signatureChanges())
          .extracting(SignatureChange::task, SignatureChange::cases)
          .containsExactly(tuple("charge", 1L));
    }
  }
}
