package dev.damask.examples.order;

import static dev.damask.testkit.CaseAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.examples.order.Shop.Decision;
import dev.damask.examples.order.Shop.Parcel;
import dev.damask.term.Workflow;
import dev.damask.testkit.Answer;
import dev.damask.testkit.CrashTest;
import dev.damask.testkit.Scenarios;
import dev.damask.testkit.TestCase;
import dev.damask.testkit.TestEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/// How a workflow is tested: the order of this example, without a store, a thread or a clock.
final class OrderWorkflowTest {
  private static final Order ORDERED = new Order("loom", 42);

  private static final Map<String, Object> PAID = Map.of("text", "p-1");

  @TempDir Path folder;
  private final TestEngine test = TestEngine.open();
  private Workflow<Order, Parcel> order;
  private Shop shop;

  @BeforeEach
  void open() throws IOException {
    shop = new Shop(folder, false);
    order = OrderExample.order(shop);
  }

  @TestFactory
  Stream<DynamicTest> scenarios() {
    return Scenarios.tests(Path.of("documents"));
  }

  @Test
  void an_order_that_nobody_decides_about_is_undone_after_two_days() throws IOException {
    TestCase run = test.start(order, "order-1", ORDERED);
    assertThat(run).isWaitingFor("approved", "rejected");

    test.advance(Duration.ofDays(2));

    assertThat(run).hasFailed("no decision").hasCalled("ship", 0);
    assertThat(shop.deeds()).contains("refunded 42", "released loom");
  }

  @Test
  void a_charge_that_fails_twice_is_tried_again_with_the_same_key() {
    test.when("charge", Answer.failing("busy"), Answer.failing("busy"), Answer.of("payment", PAID));

    TestCase run = test.start(order, "order-1", ORDERED);
    test.advance(Duration.ofMinutes(5));

    assertThat(run).hasCalled("charge", 3).hasPerformed("charge", 1);
    run.signal(OrderExample.APPROVED, new Decision("eve"));
    assertThat(run).hasCompleted().hasResult("payment", PAID);
  }

  @Test
  void a_parcel_service_that_is_silent_keeps_the_order_waiting() {
    test.when("ship", Answer.never());

    TestCase run = test.start(order, "order-1", ORDERED);
    run.signal(OrderExample.APPROVED, new Decision("eve"));
    test.advance(Duration.ofDays(30));

    assertThat(run).isWaitingFor("ship");
  }

  @Test
  void an_order_survives_a_crash_at_every_commit() {
    CrashTest.Report report = CrashTest.atEveryCommit(this::approved);

    assertThat(report.crashes()).isEqualTo(2 * report.commits());
  }

  private void approved(TestEngine test) {
    test.when("charge", Answer.of("payment", PAID));
    test.when("reserve", Answer.of("shelf", Map.of("text", "B4")));
    test.when("ship", Answer.of("parcel", Map.of("text", "DX-340", "approvedBy", "eve")));
    TestCase run = test.start(order, "order-1", ORDERED);
    assertThat(run.signal(OrderExample.APPROVED, new Decision("eve"))).hasCompleted();
  }
}
