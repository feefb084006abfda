package dev.damask.cases;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.attribute.CaseFacts;
import dev.damask.caller.CaseResult;
import dev.damask.clock.VirtualClock;
import dev.damask.compile.Compiler;
import dev.damask.effect.Effect;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.effect.ReceiptChain;
import dev.damask.exec.Machine;
import dev.damask.exec.StateCodec;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.StoredState;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.task.Expression;
import dev.damask.task.Retry;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What receipts carry, and what the same key with another payload means.
@Timeout(20)
final class ReceiptsTest {
  private final MemoryStore store = new MemoryStore();
  private final List<EffectCall> calls = new CopyOnWriteArrayList<>();

  /// Pays an amount under the key of the order.
  private static WorkflowDefinition paying() {
    Term.Task pay =
        effect("pay", c -> new EffectSpec("pay", Context.of("amount", c.get("amount")), null), null)
            .key(Expression.named("order", c -> c.get("order")))
            .retry(new Retry(3, Duration.ZERO, 1, 0));
    return workflow("paying", pay);
  }

  private EngineOptions options() {
    return EngineOptions.defaults()
        .withShards(1)
        .withGrace(Duration.ofMillis(20))
        .withHandler(
            "pay",
            call -> {
              calls.add(call);
              return Map.of("paid", call.with().get("amount"));
            });
  }

  private static Context order(String id, int amount) {
    return Context.of("order", id, "amount", amount);
  }

  @Test
  void a_receipt_has_the_hash_of_its_specification_and_its_duration() throws Exception {
    WorkflowDefinition flow = paying();
    VirtualClock clock = new VirtualClock(1_000);
    var options =
        options()
            .withClock(clock)
            .withHandler(
                "pay",
                call -> {
                  clock.advance(250);
                  return Map.of();
                });
    try (var engine = Engine.open(options, store, flow)) {
      var run = engine.start(flow, "one", order("o-1", 10));
      run.await();
      Receipt.Body body = run.receipt(1).orElseThrow().body();

      assertThat(body.spec()).isEqualTo(Receipt.hash("pay", Context.of("amount", 10)));
      assertThat(body.spec()).isNotEqualTo(Receipt.hash("pay", Context.of("amount", 11)));
      assertThat(body.spec()).isNotEqualTo(Receipt.hash("buy", Context.of("amount", 10)));
      assertThat(body.durationMillis()).isEqualTo(250);
      assertThat(run.receipt(2)).isEmpty();
      assertThat(engine.verify()).isEmpty();
    }
  }

  @Test
  void the_same_key_with_another_payload_is_a_conflict_and_not_the_old_result() throws Exception {
    WorkflowDefinition flow = paying();
    try (var engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", order("o-1", 10)).await();
      CaseResult<Context> same = engine.start(flow, "two", order("o-1", 10)).await();
      CaseResult<Context> other = engine.start(flow, "three", order("o-1", 99)).await();

      assertThat(((CaseResult.Completed<Context>) same).result().get("paid")).isEqualTo(10L);
      assertThat(((CaseResult.Failed<Context>) other).error().reason()).isEqualTo("key_conflict");
      assertThat(((CaseResult.Failed<Context>) other).error().detail()).contains("one#1");
      assertThat(calls).hasSize(1);
      assertThat(engine.receipts("three")).hasSize(1);
      assertThat(engine.receiptByKey("pay", "o-1").orElseThrow().caseId()).isEqualTo("one");
      assertThat(engine.receiptByKey("pay", "o-2")).isEmpty();
      assertThat(engine.verify()).isEmpty();
    }
  }

  /// The state in one piece, as older versions stored it.
  private static byte[] whole(WorkflowDefinition flow, CaseRecord record) {
    Program program = Compiler.compile(flow);
    Machine machine =
        new Machine(program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
    return StateCodec.encode(record.decode(machine));
  }

  @Test
  void a_receipt_without_a_hash_fits_every_payload() throws Exception {
    WorkflowDefinition flow = paying();
    Receipt.Body old =
        new Receipt.Body(
            new Effect(new EffectId(7), "pay", 1, "pay", "o-1"),
            5,
            new Receipt.Result.Ok(Context.of("n", 1)));
    try (var engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", order("o-9", 10)).await();
    }
    MemoryStore again = store.reopened();
    CaseRecord before = again.record("one").orElseThrow();
    Receipt receipt = before.receipts().next(old);
    CaseRecord next =
        new CaseRecord(
            "one",
            before.revision() + 1,
            again.epoch(),
            before.status(),
            before.workflow(),
            before.startedMillis(),
            before.changedMillis(),
            before.dueMillis(),
            before.receipts().with(receipt),
            before.terms(),
            "",
            new StoredState.Whole(whole(flow, before)),
            CaseFacts.NONE);
    CaseCommit commit =
        new CaseCommit(
            next,
            List.of(),
            List.of(receipt),
            List.of(),
            List.of(),
            List.of(new CaseCommit.KeyUse("pay", "o-1", 2)),
            new byte[0]);
    again.commit(new CommitBatch(List.of(commit), List.of(), List.of())).join();
    try (var engine = Engine.open(options(), again, flow)) {
      CaseResult<Context> result = engine.start(flow, "two", order("o-1", 99)).await();

      assertThat(((CaseResult.Completed<Context>) result).result().get("n")).isEqualTo(1L);
      assertThat(engine.verify()).isEmpty();
    }
  }

  @Test
  void receipts_and_intents_of_older_versions_keep_their_bytes() {
    Receipt.Body body =
        new Receipt.Body(
            new Effect(new EffectId(7), "pay", 1, "pay", "k"),
            5,
            new Receipt.Result.Failed("busy", "x"));
    Receipt receipt = ReceiptChain.EMPTY.next(body);
    EffectIntent intent =
        EffectIntent.of(body.effect(), 1, true, Delivery.KEYED, Context.of("a", 1))
            .forAttempt(1, true, 0);

    String written = HexFormat.of().formatHex(receipt.encode());
    assertThat(written)
        .endsWith(
            "0000000000000007"
                + "03706179"
                + "03706179"
                + "016b"
                + "010a"
                + "01"
                + "0462757379"
                + "0178");
    assertThat(Receipt.decode(receipt.encode(), _ -> null)).isEqualTo(receipt);
    assertThat(EffectIntent.decode(intent.encode(), _ -> null)).isEqualTo(intent);
    EffectIntent sent = intent.forAttempt(2, true, 77);
    assertThat(EffectIntent.decode(sent.encode(), _ -> null)).isEqualTo(sent);
    assertThat(sent.encode()).hasSizeGreaterThan(intent.encode().length);
  }
}
