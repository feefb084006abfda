package dev.damask.script;

import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.task.EffectId;
import dev.damask.value.Bytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The recorded steps of one execution of a script, from the receipts and open intents of its case.
/// The steps of one strand, the script itself or an item of `all`, are in the order in which they
/// were asked for.
final class RecordedSteps {
  /// A recorded step.
  ///
  /// @param outcome null while the step is open
  /// @param number of the last receipt; 0 while there is none
  record Entry(
      EffectId id,
      String label,
      String type,
      Bytes spec,
      @Nullable StepEnding outcome,
      long number) {
    boolean isOk() {
      return outcome instanceof StepEnding.Ok;
    }
  }

  private final Map<String, ArrayDeque<Entry>> strands = new TreeMap<>();
  private final List<String> labels = new ArrayList<>();

  private RecordedSteps() {}

  static RecordedSteps empty() {
    return new RecordedSteps();
  }

  /// @param open the intents of the case's open steps
  static RecordedSteps of(EffectId script, List<Receipt> receipts, List<EffectIntent> open) {
    Map<EffectId, Entry> entries = new LinkedHashMap<>();
    for (Receipt receipt : receipts) {
      Receipt.Body body = receipt.body();
      if (body.id().equals(StepId.of(script, body.task()))) {
        entries.merge(body.id(), entry(receipt), RecordedSteps::later);
      }
    }
    for (EffectIntent intent : open) {
      if (intent.id().equals(StepId.of(script, intent.task()))) {
        entries.merge(intent.id(), entry(intent), RecordedSteps::later);
      }
    }
    RecordedSteps log = new RecordedSteps();
    entries.values().forEach(log::add);
    return log;
  }

  private static Entry entry(EffectIntent intent) {
    Bytes spec = Receipt.hash(intent.type(), intent.with());
    return new Entry(intent.id(), intent.task(), intent.type(), spec, null, 0);
  }

  private static Entry entry(Receipt receipt) {
    Receipt.Body body = receipt.body();
    StepEnding outcome =
        switch (body.result()) {
          case Receipt.Result.Ok(var result) -> new StepEnding.Ok(result);
          case Receipt.Result.Duplicate(_, var result) -> new StepEnding.Ok(result);
          case Receipt.Result.Failed _, Receipt.Result.Indeterminate _, Receipt.Result.Refused _ ->
              StepEnding.Failed.of(body.result());
          case Receipt.Result.Cancelled() -> new StepEnding.Cancelled();
          case Receipt.Result.Late _, Receipt.Result.Approved _ -> null;
        };
    return new Entry(body.id(), body.task(), body.type(), body.spec(), outcome, receipt.number());
  }

  /// A result stays; an open intent is another attempt after a failure.
  private static Entry later(Entry first, Entry second) {
    boolean isKept = first.isOk() || (second.outcome == null && second.number > 0);
    return isKept ? first : second;
  }

  private void add(Entry entry) {
    labels.add(entry.label);
    strands.computeIfAbsent(strand(entry.label), _ -> new ArrayDeque<>()).add(entry);
  }

  private static String strand(String label) {
    return label.substring(0, label.lastIndexOf('/'));
  }

  /// The labels of all recorded steps.
  List<String> labels() {
    return labels;
  }

  /// The step that a strand recorded next; null when there is none.
  @Nullable Entry next(String strand) {
    ArrayDeque<Entry> entries = strands.get(strand);
    return entries == null ? null : entries.peekFirst();
  }

  /// Takes the step that a strand recorded next.
  void take(String strand) {
    ArrayDeque<Entry> entries = strands.get(strand);
    if (entries != null) {
      entries.removeFirst();
      if (entries.isEmpty()) {
        strands.remove(strand);
      }
    }
  }

  /// A recorded step of a strand or of an `all` inside it that was not asked for; null when there
  /// is none. Cancelled steps do not count.
  @Nullable String left(String strand) {
    for (Map.Entry<String, ArrayDeque<Entry>> each : strands.entrySet()) {
      boolean isInside = each.getKey().equals(strand) || each.getKey().startsWith(strand + "/");
      for (Entry entry : isInside ? each.getValue() : new ArrayDeque<Entry>()) {
        if (!(entry.outcome instanceof StepEnding.Cancelled)) {
          return entry.label;
        }
      }
    }
    return null;
  }

  /// Whether an item of an `all` has recorded anything that was not asked for yet.
  boolean hasBegun(String strand) {
    return strands.containsKey(strand) || left(strand) != null;
  }
}
