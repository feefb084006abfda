package dev.damask.store.postgres;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.effect.EffectLimit;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Limits of effects that all nodes of a cluster share.
@Timeout(120)
final class ClusterLimitsTest {
  private final TestNodes nodes = new TestNodes();
  private final WorkflowDefinition paying = workflow("paying", effect("pay"));
  private final Semaphore answers = new Semaphore(0);
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private final Queue<String> begun = new ConcurrentLinkedQueue<>();
  private final Queue<Long> times = new ConcurrentLinkedQueue<>();
  private final Set<String> customers = ConcurrentHashMap.newKeySet();
  private final AtomicInteger twice = new AtomicInteger();

  @AfterEach
  void close() {
    answers.release(1_000);
    nodes.close();
  }

  private EngineOptions options(String node, EffectLimit limit) {
    return TestNodes.engineOptions()
        .withLimit("pay", limit)
        .withHandler(
            "pay",
            call -> {
              begun.add(node + " " + call.caseId());
              times.add(System.nanoTime());
              most.accumulateAndGet(running.incrementAndGet(), Math::max);
              String customer = String.valueOf(call.context().get("customer"));
              boolean isFirst = customers.add(customer);
              twice.addAndGet(isFirst ? 0 : 1);
              try {
                answers.acquire();
              } finally {
                customers.remove(customer);
                running.decrementAndGet();
              }
              return Map.of();
            });
  }

  private void start(Engine engine, int count) {
    for (int i = 0; i < count; i++) {
      engine.start(paying, "case-" + i, Context.of("customer", "c" + i % 3));
    }
  }

  private AssertionError notEnded(Engine engine) {
    return new AssertionError(
        "%s %s %s".formatted(begun, engine.limits(), nodes.query("table @.permits")));
  }

  private void expectDone(Engine engine, int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      assertThat(
              engine.await("case-" + i, Duration.ofSeconds(30)).orElseThrow(() -> notEnded(engine)))
          .as("case-" + i)
          .isInstanceOf(CaseResult.Completed.class);
    }
  }

  private void awaitBegun(int count) {
    TestNodes.await(
        () -> begun.size() >= count, () -> begun + " " + nodes.query("table @.permits"));
  }

  @Test
  void both_nodes_together_make_no_more_calls_at_once_than_the_limit() throws Exception {
    Engine one = nodes.open(options("one", EffectLimit.atOnce(3)), paying);
    Engine two = nodes.open(options("two", EffectLimit.atOnce(3)), paying);
    nodes.awaitBalance(2);

    start(one, 16);
    awaitBegun(3);
    for (int i = 0; i < 16; i++) {
      answers.release();
      awaitBegun(Math.min(16, 4 + i));
    }

    expectDone(two, 16);
    assertThat(most).hasValue(3);
    assertThat(begun).hasSize(16);
    TestNodes.await(
        () -> nodes.query("table @.permits").isEmpty(), () -> "permits return when no call waits");
  }

  @Test
  void a_limit_of_one_call_goes_from_node_to_node() throws Exception {
    Engine one = nodes.open(options("one", EffectLimit.atOnce(1)), paying);
    Engine two = nodes.open(options("two", EffectLimit.atOnce(1)), paying);
    nodes.awaitBalance(2);

    start(two, 12);
    for (int i = 0; i < 12; i++) {
      awaitBegun(i + 1);
      answers.release();
    }

    expectDone(one, 12);
    assertThat(most).hasValue(1);
    Set<String> callers = new TreeSet<>();
    begun.forEach(each -> callers.add(each.substring(0, 3)));
    assertThat(callers).containsExactly("one", "two");
  }

  @Test
  void calls_with_one_key_wait_for_each_other_on_all_nodes() throws Exception {
    EffectLimit limit = EffectLimit.perKey("customer", 1);
    Engine one = nodes.open(options("one", limit), paying);
    Engine two = nodes.open(options("two", limit), paying);
    nodes.awaitBalance(2);

    start(one, 12);
    awaitBegun(3);
    answers.release(12);

    expectDone(two, 12);
    assertThat(twice).hasValue(0);
    assertThat(most.get()).isBetween(2, 3);
    TestNodes.await(
        () -> nodes.query("table @.permit_limits").isEmpty(),
        () -> "rows of keys that are not used: " + nodes.query("table @.permit_limits"));
  }

  @Test
  void no_second_has_more_calls_than_a_rate_allows() throws Exception {
    EffectLimit limit = EffectLimit.NONE.withRate(4, Duration.ofSeconds(1));
    Engine one = nodes.open(options("one", limit), paying);
    Engine two = nodes.open(options("two", limit), paying);
    nodes.awaitBalance(2);
    answers.release(100);

    start(one, 16);

    expectDone(two, 16);
    List<Long> order = new ArrayList<>(times);
    order.sort(null);
    for (int i = 4; i < order.size(); i++) {
      // A call begins a moment after its permit; the fifth one is later by far.
      assertThat(order.get(i) - order.get(i - 4))
          .as("calls %d to %d", i - 4, i)
          .isGreaterThan(TimeUnit.MILLISECONDS.toNanos(700));
    }
  }

  @Test
  void permits_of_a_node_return_when_it_is_fenced() throws Exception {
    TcpProxy proxy = nodes.proxy();
    Engine cut = nodes.open(options("cut", EffectLimit.atOnce(2)), proxy, paying);
    start(cut, 6);
    awaitBegun(2);
    Engine other = nodes.open(options("other", EffectLimit.atOnce(2)), paying);
    nodes.awaitBalance(2);
    assertThat(begun).as("the calls of the first node hold both permits").hasSize(2);

    proxy.cutAll();
    awaitBegun(4);
    answers.release(100);

    expectDone(other, 6);
    proxy.restore();
    cut.close();
  }

  @Test
  void a_call_that_outlives_the_ownership_of_its_case_keeps_its_permit_until_it_ends()
      throws Exception {
    Engine one = nodes.open(options("one", EffectLimit.atOnce(4)), paying);
    start(one, 12);
    awaitBegun(4);

    Engine two = nodes.open(options("two", EffectLimit.atOnce(4)), paying);
    nodes.awaitBalance(2);
    CountDownLatch aWhile = new CountDownLatch(1);
    assertThat(aWhile.await(500, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(begun).hasSize(4);
    answers.release(100);

    expectDone(two, 12);
    assertThat(most).hasValue(4);
    assertThat(begun).hasSize(12);
  }
}
