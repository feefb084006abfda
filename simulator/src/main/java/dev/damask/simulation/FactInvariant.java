package dev.damask.simulation;

import dev.damask.attribute.AttributeValue;
import dev.damask.attribute.CaseFacts;
import dev.damask.effect.EffectIntent;
import dev.damask.event.Status;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.script.ScriptStep;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.Store;
import dev.damask.task.EffectId;
import dev.damask.task.Expression;
import dev.damask.term.Attribute;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// A case is indexed by what its data and its program give, and by what it waits for.
final class FactInvariant {
  private FactInvariant() {}

  /// An attribute with the value of a key.
  static Attribute attribute(String name, String key) {
    Expression value = Expression.named(key, context -> context.get(key));
    return new Attribute(name, Attribute.Type.ANY, value, List.of(key));
  }

  /// The intents of a case after a commit.
  ///
  /// @param known those of cases with earlier commits in the same batch
  static Map<EffectId, EffectIntent> open(
      Store disk, CaseCommit commit, Map<String, Map<EffectId, EffectIntent>> known) {
    Map<EffectId, EffectIntent> open =
        known.computeIfAbsent(
            commit.record().caseId(),
            caseId -> {
              Map<EffectId, EffectIntent> stored = new HashMap<>();
              disk.intents(caseId).forEach(each -> stored.put(each.id(), each));
              return stored;
            });
    commit.intentsRemoved().forEach(open::remove);
    commit.intentsAdded().forEach(each -> open.put(each.id(), each));
    return open;
  }

  /// What tokens and the open steps of scripts wait for.
  private static List<String> waits(
      Machine machine, ExecState state, Collection<EffectIntent> open) {
    TreeSet<String> names = new TreeSet<>(machine.waitingFor(state));
    for (EffectIntent each : open) {
      if (each.step()) {
        Object place = each.with().get(ScriptStep.SIGNAL);
        names.add(place == null ? each.type() : place.toString());
      }
    }
    return List.copyOf(names);
  }

  /// Whether a case that runs may be found by what its scripts wait for: all their open steps wait.
  /// It is found if no other function runs, which is not stored.
  private static boolean mayWait(ExecState state, Collection<EffectIntent> open) {
    List<EffectIntent> steps = open.stream().filter(EffectIntent::step).toList();
    return state.status() == Status.WAITING
        && !steps.isEmpty()
        && steps.stream().allMatch(each -> each.isHeld() || each.incident().isPresent());
  }

  static void check(
      CaseRecord record, Machine machine, ExecState state, Collection<EffectIntent> open) {
    CaseStatus status = record.status();
    CaseFacts facts = record.facts();
    boolean isWaiting =
        status == CaseStatus.WAITING
            || status == CaseStatus.PAUSED
            || (status == CaseStatus.RUNNING && !facts.waits().isEmpty() && mayWait(state, open));
    List<String> waits = isWaiting ? waits(machine, state, open) : List.of();
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
        "is indexed by " + facts.attributes() + ", its data require " + expected);
  }
}
