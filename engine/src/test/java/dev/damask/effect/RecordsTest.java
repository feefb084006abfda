package dev.damask.effect;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.store.MemoryStore;
import dev.damask.value.Context;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Records in and out of contexts.
@Timeout(30)
final class RecordsTest {
  enum Size {
    SMALL,
    LARGE
  }

  record Line(String article, int count, BigDecimal price) {}

  record Order(
      String id,
      long customer,
      boolean gift,
      double weight,
      Size size,
      @Nullable String note,
      List<Line> lines,
      Map<String, Integer> stock,
      BigInteger serial) {}

  @SuppressWarnings("ArrayRecordComponent") // users may have such records
  record Tiny(byte b, short s, int i, float f, byte[] bytes) {}

  record Receipted(String number, List<Line> lines) {}

  private static final Order ORDER =
      new Order(
          "o-1",
          17,
          true,
          2.5,
          Size.LARGE,
          null,
          List.of(new Line("pen", 2, new BigDecimal("1.25"))),
          Map.of("pen", 40),
          BigInteger.TWO.pow(80));

  @Test
  void a_record_becomes_entries_and_comes_back() {
    Context context = Records.context(ORDER);

    assertThat(context.get("id")).isEqualTo("o-1");
    assertThat(context.get("size")).isEqualTo("LARGE");
    assertThat(context.get("lines"))
        .isEqualTo(List.of(Map.of("article", "pen", "count", 2L, "price", new BigDecimal("1.25"))));
    assertThat(Records.read(context, Order.class)).isEqualTo(ORDER);
  }

  @Test
  void small_numbers_and_bytes_come_back() {
    Tiny tiny = new Tiny((byte) 1, (short) 2, 3, 0.5f, new byte[] {4, 5});

    Tiny read = Records.read(Records.context(tiny), Tiny.class);

    assertThat(read).usingRecursiveComparison().isEqualTo(tiny);
  }

  @Test
  void what_does_not_fit_is_named_with_its_place() {
    Context order = Records.context(ORDER);
    assertThatThrownBy(() -> Records.read(order.with("customer", "x"), Order.class))
        .hasMessage("Order.customer is of type long, found a String");
    assertThatThrownBy(() -> Records.read(order.with("gift", null), Order.class))
        .hasMessage("Order.gift is of type boolean, found nothing");
    assertThatThrownBy(() -> Records.read(order.with("size", "HUGE"), Order.class))
        .hasMessage("Order.size is of type Size, found 'HUGE'");
    assertThatThrownBy(() ->
            Records.read(order.with("lines", List.of(Map.of("count", 1L << 40))), Order.class))
        .hasMessage("Order.lines[0].count is of type int, found 1099511627776");
  }

  @Test
  void a_handler_may_give_a_record_and_a_case_may_start_with_one() throws InterruptedException {
    var sell = workflow("sell", effect("charge"));
    var options =
        EngineOptions.defaults()
            .withHandler(
                "charge",
                call -> {
                  Order order = Records.read(call.context(), Order.class);
                  return new Receipted("r-" + order.customer(), order.lines());
                });
    try (var engine = Engine.open(options, new MemoryStore(), sell)) {
      var end = engine.start(sell, "one", Records.context(ORDER)).await();

      assertThat(end).isInstanceOf(CaseResult.Completed.class);
      Context result = ((CaseResult.Completed<Context>) end).result();
      assertThat(Records.read(result, Receipted.class))
          .isEqualTo(new Receipted("r-17", ORDER.lines()));
      assertThat(Records.read(result, Order.class)).isEqualTo(ORDER);
    }
  }

  @Test
  void a_component_outside_the_closed_set_is_refused_with_its_type() {
    record Odd(Thread thread) {}

    assertThatThrownBy(() -> Records.context(new Odd(Thread.currentThread())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("java.lang.Thread");
  }
}
