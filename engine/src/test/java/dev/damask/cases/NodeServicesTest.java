package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.cluster.SharedStore;
import dev.damask.cluster.SlotOwner;
import dev.damask.cluster.Slots;
import dev.damask.effect.EffectLimit;
import dev.damask.effect.PermitAnswer;
import dev.damask.intake.FamilyMessage;
import dev.damask.ops.LocalClaims;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.RowChange;
import dev.damask.store.StoreException;
import dev.damask.store.TableRow;
import dev.damask.task.EffectId;
import dev.damask.term.Flow;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The threads of a node whose store is away for a moment, or has a corrupt row.
@Timeout(30)
final class NodeServicesTest {
  private static final WorkflowDefinition WAIT = workflow("wait", defer(on("go", skip())));

  private final MemoryStore memory = new MemoryStore();
  private final AtomicReference<@Nullable SlotOwner> owner = new AtomicReference<>();

  /// What the next calls of a method throw, as long as there is something.
  private final ConcurrentLinkedQueue<RuntimeException> failures = new ConcurrentLinkedQueue<>();

  private volatile String failing = "";

  /// A cluster of one node.
  private final SharedStore store =
      (SharedStore)
          Proxy.newProxyInstance(
              SharedStore.class.getClassLoader(), new Class<?>[] {SharedStore.class}, this::call);

  private @Nullable Object call(Object proxy, Method method, @Nullable Object[] arguments)
      throws Throwable {
    if (isFailing(method.getName())) {
      RuntimeException thrown = failures.poll();
      if (thrown != null) {
        throw thrown;
      }
    }
    return switch (method.getName()) {
      case "node" -> 1;
      case "owns", "mayWork", "claim" -> true;
      case "borrow" ->
          Objects.requireNonNull((List<?>) arguments[0]).stream()
              .map(_ -> new PermitAnswer(1, 1))
              .toList();
      case "millis" -> System.currentTimeMillis();
      case "nanosUntil" -> 1_000_000L;
      case "claims" -> new LocalClaims(memory);
      case "replyTime" -> Duration.ofSeconds(5);
      case "leaveSlots", "giveUp", "retire", "unclaim", "retryHeld", "showPrograms" -> null;
      case "serve" -> {
        SlotOwner engine = Objects.requireNonNull((SlotOwner) arguments[0]);
        BitSet all = new BitSet();
        all.set(0, Slots.COUNT);
        engine.acquired(all);
        owner.set(engine);
        yield null;
      }
      default -> {
        try {
          yield method.invoke(memory, arguments);
        } catch (InvocationTargetException e) {
          throw e.getCause();
        }
      }
    };
  }

  /// The shards read the same tables; only the thread of a service is meant.
  private boolean isFailing(String method) {
    return method.equals(failing)
        && StackWalker.getInstance()
            .walk(frames ->
                frames.anyMatch(
                    frame -> List.of("deliverFamily", "exchange").contains(frame.getMethodName())));
  }

  private void fail(String method) throws InterruptedException {
    failures.add(new StoreException("away"));
    failures.add(new IllegalArgumentException("something else"));
    failing = method;
    while (!failures.isEmpty()) {
      SlotOwner engine = owner.get();
      if (engine != null) {
        engine.familyMessages();
      }
      Thread.sleep(5); // ends with the time limit of the test
    }
  }

  private void write(TableRow row) {
    memory.commit(CommitBatch.ofRows(List.of(new RowChange.Put(row)))).join();
  }

  @Test
  void messages_are_delivered_after_a_read_that_failed_and_past_a_corrupt_one() throws Exception {
    try (var engine = Engine.open(EngineOptions.defaults(), store, WAIT)) {
      engine.start(WAIT, "one", Context.empty());
      fail("table");

      write(new TableRow(FamilyMessage.KIND, "", 0, Bytes.of((byte) 99)));
      write(new TableRow(FamilyMessage.KIND, "one/bad", 0, Bytes.of((byte) 99)));
      write(
          new FamilyMessage.Signalled("one", new EffectId(1), "go", Context.empty(), "", "").row());
      Objects.requireNonNull(owner.get()).familyMessages();

      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
      assertThat(engine.statistics().shardRestarts()).isZero();
    }
  }

  @Test
  void permits_are_borrowed_after_an_exchange_that_failed() throws Exception {
    WorkflowDefinition pay = workflow("pay", Flow.effect("pay", _ -> Context.empty()));
    var options =
        EngineOptions.defaults().withLimit("pay", EffectLimit.atOnce(1)).withGrace(Duration.ZERO);
    try (var engine = Engine.open(options, store, pay)) {
      failures.add(new StoreException("away"));
      failures.add(new IllegalArgumentException("something else"));
      failing = "borrow";
      engine.startAsync(pay, "one", Context.empty()).join();

      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
      assertThat(failures).isEmpty();
    }
  }
}
