package dev.damask.effect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Receipts are linked: whatever is done to them afterwards is found.
final class ReceiptChainTest {
  private static final List<Receipt.Result> RESULTS =
      List.of(
          new Receipt.Result.Ok(Context.of("n", 1)),
          new Receipt.Result.Failed("broken", "very"),
          new Receipt.Result.Cancelled(),
          new Receipt.Result.Late(Context.of("n", 2)),
          new Receipt.Result.Duplicate("other#1", Context.empty()),
          new Receipt.Result.Indeterminate(),
          new Receipt.Result.Refused("not allowed"));

  private final List<Receipt> receipts = new ArrayList<>();
  private final ReceiptChain chain = fill();

  private ReceiptChain fill() {
    ReceiptChain end = ReceiptChain.EMPTY;
    for (Receipt.Result result : RESULTS) {
      Receipt next = end.next(body(result));
      receipts.add(next);
      end = end.with(next);
    }
    return end;
  }

  private static Receipt.Body body(Receipt.Result result) {
    return new Receipt.Body(new Effect(new EffectId(7), "pay", 1, "payment", "k"), 1_000, result);
  }

  @Test
  void a_chain_that_was_written_and_read_verifies() {
    List<Receipt> read =
        receipts.stream().map(each -> Receipt.decode(each.encode(), _ -> null)).toList();

    assertThat(read).isEqualTo(receipts);
    assertThat(chain.verify(read)).isEmpty();
  }

  @Test
  void every_change_is_found() {
    for (int i = 0; i < receipts.size(); i++) {
      List<Receipt> changed = new ArrayList<>(receipts);
      Receipt old = receipts.get(i);
      Receipt.Body other = body(new Receipt.Result.Ok(Context.of("forged", i)));
      changed.set(i, new Receipt(old.number(), other, old.hash()));

      assertThat(chain.verify(changed)).as("receipt %d", i + 1).isNotEmpty();
    }
  }

  @Test
  void every_gap_and_every_exchange_is_found() {
    for (int i = 0; i < receipts.size(); i++) {
      List<Receipt> gap = new ArrayList<>(receipts);
      gap.remove(i);
      List<Receipt> exchanged = new ArrayList<>(receipts);
      exchanged.set(i, receipts.get((i + 1) % receipts.size()));
      exchanged.set((i + 1) % receipts.size(), receipts.get(i));

      assertThat(chain.verify(gap)).as("without %d", i + 1).isNotEmpty();
      assertThat(chain.verify(exchanged)).as("%d exchanged", i + 1).isNotEmpty();
    }
  }

  @Test
  void a_chain_that_was_forged_from_some_point_on_is_found() {
    ReceiptChain forged = ReceiptChain.EMPTY;
    List<Receipt> all = new ArrayList<>();
    for (int i = 0; i < receipts.size(); i++) {
      Receipt next = forged.next(body(new Receipt.Result.Ok(Context.of("forged", i))));
      all.add(next);
      forged = forged.with(next);
    }

    assertThat(chain.verify(all))
        .containsExactly("the last receipt differs from the one that the case refers to");
  }
}
