package dev.damask.examples.orders;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.examples.orders.OrderDesk.Approval;
import dev.damask.examples.orders.OrderDesk.Parcel;
import dev.damask.spring.test.DamaskTest;
import dev.damask.spring.test.VirtualTime;
import dev.damask.term.Workflow;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

@DamaskTest
@Import(OrderDesk.class)
class OrderWorkflowTest {
  @TempDir static Path directory;

  @Autowired private Engine engine;
  @Autowired private VirtualTime time;
  @Autowired private Workflow<PlacedOrder, Parcel> order;
  @Autowired private OrderDesk desk;

  @DynamicPropertySource
  static void shop(DynamicPropertyRegistry properties) {
    properties.add("shop.directory", () -> directory.toString());
  }

  @Test
  void an_approved_order_is_shipped() {
    var run = engine.start(order, "one", new PlacedOrder("loom", 4_200));
    run.signal(OrderWorkflow.APPROVED, new Approval("eve"));

    assertThat(run.join()).isEqualTo(new Parcel("loom", "eve"));
  }

  @Test
  void an_order_that_nobody_approves_is_refunded_after_two_days() throws Exception {
    var run = engine.start(order, "two", new PlacedOrder("spindle", 99));

    time.advance(Duration.ofDays(2));

    assertThat(run.await()).isInstanceOf(CaseResult.Failed.class);
    assertThat(desk.done()).contains("charged 99", "refunded 99");
  }
}
