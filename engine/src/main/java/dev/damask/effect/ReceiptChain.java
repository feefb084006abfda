package dev.damask.effect;

import dev.damask.value.Bytes;
import java.util.ArrayList;
import java.util.List;

/// The end of a case's chain of receipts: how many there are and what the last one's hash is. The
/// case keeps it, so that receipts cut off at the end are missed as well.
public record ReceiptChain(long count, Bytes head) {
  /// The chain of a case without receipts.
  public static final ReceiptChain EMPTY = new ReceiptChain(0, Receipt.ORIGIN);

  /// Returns the receipt that comes next.
  public Receipt next(Receipt.Body body) {
    return Receipt.after(head, count + 1, body);
  }

  /// Returns the chain with a receipt at its end.
  public ReceiptChain with(Receipt receipt) {
    return new ReceiptChain(receipt.number(), receipt.hash());
  }

  /// Returns one sentence for every change, gap or reordering; empty when the receipts are the
  /// chain.
  public List<String> verify(List<Receipt> receipts) {
    List<String> problems = new ArrayList<>();
    Bytes previous = Receipt.ORIGIN;
    long expected = 1;
    for (Receipt receipt : receipts) {
      if (receipt.number() != expected) {
        problems.add("expected receipt " + expected + ", found " + receipt.number());
      } else if (!receipt.hash().equals(receipt.linked(previous))) {
        problems.add("receipt " + expected + " was changed: its hash does not fit");
      }
      previous = receipt.hash();
      expected = receipt.number() + 1;
    }
    if (receipts.size() != count) {
      problems.add("the case has " + count + " receipts, found " + receipts.size());
    } else if (!previous.equals(head)) {
      problems.add("the last receipt differs from the one that the case refers to");
    }
    return problems;
  }
}
