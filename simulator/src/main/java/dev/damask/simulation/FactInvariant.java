package dev.damask.simulation;

import dev.damask.attribute.AttributeValue;
import dev.damask.attribute.CaseFacts;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.task.Expression;
import dev.damask.term.Attribute;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// A case is indexed by what its data and its program give, and by what it waits for.
final class FactInvariant {
  private FactInvariant() {}

  /// An attribute with the value of a key.
  static Attribute attribute(String name, String key) {
    Expression value = Expression.named(key, context -> context.get(key));
    return new Attribute(name, Attribute.Type.ANY, value, List.of(key));
  }

  static void check(CaseRecord record, Machine machine, ExecState state) {
    CaseStatus status = record.status();
    CaseFacts facts = record.facts();
    List<String> waits = status == CaseStatus.WAITING ? machine.waitingFor(state) : List.of();
    Invariants.require("G8", facts.waits().equals(waits), record, "waits for " + waits);
    if (status == CaseStatus.FAILED
        || status == CaseStatus.CANCELLED
        || status == CaseStatus.QUARANTINED) {
      return; // it keeps the attributes that it had
    }
    SortedMap<String, AttributeValue> expected = new TreeMap<>();
    for (Attribute each : state.program().attributes()) {
      Object value = each.value().value(state.context());
      if (value instanceof List<?> || value instanceof Map<?, ?>) {
        boolean isReported = facts.problems().containsKey(each.name());
        Invariants.require("G8", isReported, record, "does not report the value " + value);
      } else if (value != null) {
        expected.put(each.name(), AttributeValue.of(value));
      }
    }
    Invariants.require(
        "G8",
        facts.attributes().equals(expected),
        record,
        "is indexed by " + facts.attributes() + ", its data give " + expected);
  }
}
