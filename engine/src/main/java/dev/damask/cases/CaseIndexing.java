package dev.damask.cases;

import dev.damask.attribute.AttributeValue;
import dev.damask.attribute.AttributeValues;
import dev.damask.attribute.CaseFacts;
import dev.damask.effect.Computation;
import dev.damask.effect.EffectIntent;
import dev.damask.event.Status;
import dev.damask.exec.StateLog;
import dev.damask.program.Program;
import dev.damask.script.ScriptFunction;
import dev.damask.script.ScriptStep;
import dev.damask.steps.OpenStep;
import dev.damask.store.CaseStatus;
import dev.damask.term.Attribute;
import dev.damask.value.Context;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Computes what a case can be found by. An attribute is computed again only when a key that it
/// reads has another value than before. The context is that of the log of the state, so a commit
/// costs what it changed.
///
/// A case that failed, was cancelled or is quarantined keeps the attributes that it had, because it
/// has no data any more or its data are not to be touched.
final class CaseIndexing {
  private static final SortedMap<String, AttributeValue> NO_VALUES = new TreeMap<>();
  private static final SortedMap<String, String> NO_PROBLEMS = new TreeMap<>();

  /// The attributes of a program as it was registered last.
  private Function<Program, List<Attribute>> attributes = Program::attributes;

  /// The attributes as they were computed last; null if none were.
  private @Nullable Computed last;

  /// Sets where the attributes of a program come from.
  void attributes(Function<Program, List<Attribute>> source) {
    attributes = source;
  }

  /// Computes all attributes again the next time.
  void forget() {
    last = null;
  }

  /// The attributes that are declared for a case.
  private List<Attribute> declared(LiveCase live) {
    return attributes.apply(live.state.program());
  }

  /// The facts of a case as its next commit writes them. Facts that do not change are the same
  /// object.
  CaseFacts of(LiveCase live) {
    CaseFacts before = live.record == null ? CaseFacts.NONE : live.record.facts();
    List<Attribute> declared = declared(live);
    CaseStatus status = live.status();
    List<String> waits =
        status == CaseStatus.WAITING
                || status == CaseStatus.PAUSED
                || (status == CaseStatus.RUNNING && isWaitingInScripts(live))
            ? waits(live)
            : List.of();
    if (declared.isEmpty() && before.attributes().isEmpty() && before.problems().isEmpty()) {
      if (waits.equals(before.waits())) {
        return before;
      }
      return waits.isEmpty() ? CaseFacts.NONE : new CaseFacts(NO_VALUES, NO_PROBLEMS, waits);
    }
    CaseFacts next = attributes(live, declared, status, before).withWaits(waits);
    return next.equals(before) ? before : next;
  }

  /// Whether all functions at work are scripts that wait. Such a case is stored as running, because
  /// the scripts are in memory.
  private static boolean isWaitingInScripts(LiveCase live) {
    if (live.state.status() != Status.WAITING || live.scripts.isEmpty()) {
      return false;
    }
    for (EffectIntent intent : live.intents.all()) {
      if (intent.type().equals(Computation.TYPE)
          && !intent.step()
          && !(live.scripts.containsKey(intent.id()) && isIdle(live, intent.token()))) {
        return false;
      }
    }
    return true;
  }

  /// Whether a script has open steps and all of them wait.
  private static boolean isIdle(LiveCase live, int token) {
    boolean isOpen = false;
    for (EffectIntent intent : live.intents.all()) {
      if (intent.step() && intent.token() == token) {
        if (!OpenStep.isIdle(intent)) {
          return false;
        }
        isOpen = true;
      }
    }
    return isOpen;
  }

  /// What tokens wait for, and the signals and calls that open steps of scripts wait for.
  private static List<String> waits(LiveCase live) {
    List<String> names = live.machine.waitingFor(live.state);
    if (live.state.program().placeIndex(ScriptFunction.MAILBOX) < 0) {
      return names;
    }
    TreeSet<String> all = new TreeSet<>(names);
    for (EffectIntent intent : live.intents.all()) {
      if (intent.step()) {
        all.add(
            intent.with().get(ScriptStep.SIGNAL) instanceof String place ? place : intent.type());
      }
    }
    return List.copyOf(all);
  }

  private CaseFacts attributes(
      LiveCase live, List<Attribute> declared, CaseStatus status, CaseFacts before) {
    if (status == CaseStatus.QUARANTINED) {
      return before;
    }
    Computed computed = last;
    if (computed == null || computed.declared != declared) {
      computed = new Computed(declared);
      last = computed;
    }
    StateLog log = live.log();
    Context context =
        log == null || log.state() != live.state ? live.state.context() : log.context();
    assert context.equals(live.state.context()) : "the tracked context of case " + live.id;
    CaseFacts now = computed.compute(context);
    return status == CaseStatus.FAILED || status == CaseStatus.CANCELLED
        ? kept(before, now, declared)
        : now;
  }

  /// The values that a case without data had, and those of attributes it had no value of.
  private static CaseFacts kept(CaseFacts before, CaseFacts now, List<Attribute> declared) {
    SortedMap<String, AttributeValue> values = new TreeMap<>(now.attributes());
    SortedMap<String, String> problems = new TreeMap<>(now.problems());
    for (Attribute each : declared) {
      AttributeValue had = before.attributes().get(each.name());
      if (had != null && isOfType(each.type(), had)) {
        values.put(each.name(), had);
        problems.remove(each.name());
      }
    }
    return new CaseFacts(values, problems, List.of());
  }

  private static boolean isOfType(Attribute.Type type, AttributeValue value) {
    try {
      return AttributeValue.of(type, value).equals(value);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /// Values of attributes, and what they were computed from.
  private static final class Computed {
    private final List<Attribute> declared;
    private final @Nullable Object[][] inputs;
    private final SortedMap<String, AttributeValue> values = new TreeMap<>();
    private final SortedMap<String, String> problems = new TreeMap<>();
    private @Nullable Context context; // null before the first

    Computed(List<Attribute> declared) {
      this.declared = declared;
      this.inputs = new Object[declared.size()][];
    }

    CaseFacts compute(Context now) {
      if (context != now) {
        for (int i = 0; i < declared.size(); i++) {
          compute(i, declared.get(i), now);
        }
        context = now;
      }
      return new CaseFacts(values, problems, List.of());
    }

    private void compute(int number, Attribute attribute, Context now) {
      List<String> reads = attribute.reads();
      if (!reads.isEmpty()) {
        @Nullable Object[] read = new Object[reads.size()];
        for (int i = 0; i < read.length; i++) {
          read[i] = now.get(reads.get(i));
        }
        if (isSame(inputs[number], read)) {
          return;
        }
        inputs[number] = read;
      }
      AttributeValues.compute(attribute, now, values, problems);
    }

    /// Compares by identity: entries that are not written stay the same objects.
    private static boolean isSame(@Nullable Object @Nullable [] before, @Nullable Object[] now) {
      if (before == null) {
        return false;
      }
      for (int i = 0; i < now.length; i++) {
        if (before[i] != now[i]) {
          return false;
        }
      }
      return true;
    }
  }
}
