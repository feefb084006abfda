package dev.damask.cases;

import dev.damask.attribute.CaseFacts;
import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.caller.PendingTask;
import dev.damask.effect.Effect;
import dev.damask.effect.EffectIntent;
import dev.damask.event.EffectRequest;
import dev.damask.event.Outcome;
import dev.damask.event.StateView;
import dev.damask.exec.Machine;
import dev.damask.exec.StateLog;
import dev.damask.history.History;
import dev.damask.history.NextRevision;
import dev.damask.intake.CaseTerms;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.script.ScriptStep;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.Store;
import dev.damask.term.Limits;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What people see of a case, and how a case comes back from its record.
final class Views {
  private static final int EVIDENCE_FRAMES = 12;

  private Views() {}

  static IllegalArgumentException unknown(String caseId) {
    return new IllegalArgumentException("there is no case " + caseId);
  }

  /// A case whose program is missing.
  static CaseView of(CaseRecord record) {
    return new CaseView(
        record.caseId(),
        record.workflow(),
        record.program(),
        record.status(),
        record.revision(),
        Context.empty(),
        Optional.empty(),
        Optional.empty(),
        List.of(),
        List.of(),
        List.of(),
        record.dueMillis() == CaseRecord.NEVER
            ? OptionalLong.empty()
            : OptionalLong.of(record.dueMillis()),
        List.of(missing(record)),
        List.of(),
        List.of(),
        List.of(),
        record.facts(),
        Optional.empty(),
        Optional.empty());
  }

  /// A case whose code is missing, read with the description of its program.
  static CaseView described(LiveCase read, CaseRecord record) {
    return of(read, record.status()).withReport(List.of(missing(record)));
  }

  /// A case that cannot be read.
  static CaseView corrupt(String caseId, String why) {
    return new CaseView(
        caseId,
        "",
        new ProgramHash(0, 0),
        CaseStatus.CORRUPT,
        0,
        Context.empty(),
        Optional.empty(),
        Optional.empty(),
        List.of(),
        List.of(),
        List.of(),
        OptionalLong.empty(),
        List.of(why),
        List.of(),
        List.of(),
        List.of(),
        CaseFacts.NONE,
        Optional.empty(),
        Optional.empty());
  }

  /// @param status of its record if it is not in memory: whether a function of it has to run again
  ///   is not known before it is resumed
  static CaseView of(LiveCase live, CaseStatus status) {
    List<PendingTask> tasks = new ArrayList<>();
    for (EffectRequest request : live.state.pendingEffects()) {
      EffectIntent intent = live.intents.get(request.id());
      tasks.add(
          new PendingTask(
              effect(request, intent),
              request.token().number(),
              request.label(),
              request.execution(),
              intent == null ? EffectIntent.Held.NOT : intent.held(),
              request.notBefore(),
              intent == null ? Context.empty() : intent.with(),
              Optional.ofNullable(intent).map(EffectIntent::pause)));
    }
    List<String> awaited = addSteps(live, tasks);
    List<String> places = List.of();
    List<String> sets = List.of();
    List<String> report = List.of();
    Optional<CaseResult.Cancelled<Context>> cancelled = Optional.empty();
    switch (live.machine.outcome(live.state)) {
      case Outcome.Waits(_, var names, var open, _) -> {
        places = new ArrayList<>(names);
        places.addAll(awaited);
        sets = open;
      }
      case Outcome.Deadlocked(var lines) -> report = lines;
      case Outcome.Cancelled outcome -> cancelled = Optional.of(CaseResult.Cancelled.of(outcome));
      case Outcome.Done _, Outcome.Yielded _, Outcome.Failed _ -> {}
    }
    if (live.isQuarantined && live.record != null) {
      report = List.of(live.record.evidence());
    }
    List<StateView.Token> tokens = live.state.tokenViews(CaseView.TOKENS_MAX);
    return new CaseView(
        live.id,
        live.workflow,
        live.state.program().hash(),
        status,
        live.revision(),
        live.state.context(),
        live.state.failure(),
        cancelled,
        tasks,
        places,
        sets,
        live.nextDue() == CaseRecord.NEVER ? OptionalLong.empty() : OptionalLong.of(live.nextDue()),
        report,
        live.state.lateFailures(),
        tokens,
        divided(tokens),
        live.record == null ? CaseFacts.NONE : live.record.facts(),
        Optional.ofNullable(live.terms.pause()),
        Optional.ofNullable(live.terms.origin()));
  }

  /// The keys for which parallel tokens have different values. Instances have contexts of their
  /// own.
  private static List<String> divided(List<StateView.Token> tokens) {
    Map<String, @Nullable Object> values = new HashMap<>();
    Set<String> divided = new TreeSet<>();
    for (StateView.Token token : tokens) {
      if (token.label().isEmpty()) {
        token
            .context()
            .forEach((key, value) -> {
              if (values.containsKey(key) && !Objects.equals(values.get(key), value)) {
                divided.add(key);
              }
              values.put(key, value);
            });
      }
    }
    return List.copyOf(divided);
  }

  /// Adds the open steps of scripts; returns the signals that they await.
  private static List<String> addSteps(LiveCase live, List<PendingTask> tasks) {
    List<String> awaited = new ArrayList<>();
    List<PendingTask> scripts = List.copyOf(tasks);
    for (EffectIntent intent : live.intents.all()) {
      if (intent.step()) {
        tasks.add(step(intent, scripts));
        if (intent.with().get(ScriptStep.SIGNAL) instanceof String place) {
          awaited.add(place);
        }
      }
    }
    return awaited;
  }

  private static PendingTask step(EffectIntent intent, List<PendingTask> scripts) {
    boolean isDelayed =
        intent.held() == EffectIntent.Held.FOR_TIME && intent.dueMillis() != EffectIntent.NEVER;
    String instance =
        scripts.stream()
            .filter(each -> each.token() == intent.token())
            .map(PendingTask::label)
            .findFirst()
            .orElse("");
    String label = intent.task();
    int mark = label.lastIndexOf('#');
    Effect effect = intent.effect();
    String name = mark < 0 ? label : label.substring(0, mark);
    return new PendingTask(
        new Effect(effect.id(), name, effect.attempt(), effect.type(), effect.key()),
        intent.token(),
        instance,
        mark < 0 ? 1 : Integer.parseInt(label.substring(mark + 1)),
        intent.held(),
        isDelayed ? OptionalLong.of(intent.dueMillis()) : OptionalLong.empty(),
        intent.with(),
        Optional.ofNullable(intent.pause()));
  }

  /// The effect under the name that its task has now: a migration may have renamed it.
  private static Effect effect(EffectRequest request, @Nullable EffectIntent intent) {
    String task = request.task().name();
    return new Effect(
        request.id(),
        task,
        request.attempt(),
        intent == null ? task : intent.type(),
        intent == null ? "" : intent.key());
  }

  static String missing(CaseRecord record) {
    return "case %s waits for program %s of workflow %s: open the engine with that workflow"
        .formatted(record.caseId(), record.program(), record.workflow());
  }

  /// The past of a case, read with the programs that are registered.
  ///
  /// @param mayDescribe whether a description may stand for a program whose code is missing; the
  ///   states of commits can be read with it, those between commits cannot
  static History history(Store store, CaseRecord record, Programs programs, boolean mayDescribe) {
    CaseOptions own = CaseTerms.decode(record.terms()).options();
    return new History(
        store,
        record,
        (hash, scheduler, tracer) -> {
          Program code = programs.find(hash);
          Program program = code == null && mayDescribe ? programs.descriptions().find(hash) : code;
          if (program == null) {
            throw new IllegalStateException(
                "case %s: program %s is missing; open the engine with that workflow"
                    .formatted(record.caseId(), hash));
          }
          Limits limits = own.limits().orElse(program.limits());
          return new Machine(program, new Machine.Options(scheduler, limits, false, tracer));
        });
  }

  /// Makes a case of what the store has of it.
  ///
  /// @param log the log of its state
  static LiveCase load(
      CaseRecord record,
      StateLog log,
      CaseTerms terms,
      Machine machine,
      List<EffectIntent> intents) {
    LiveCase live =
        new LiveCase(
            record.caseId(),
            record.workflow(),
            record.startedMillis(),
            terms,
            machine,
            log.state());
    live.opened(log);
    live.record = NextRevision.light(record);
    live.durableRevision = record.revision();
    live.chain = record.receipts();
    live.isQuarantined = record.status() == CaseStatus.QUARANTINED;
    for (EffectIntent intent : intents) {
      live.intents.put(intent);
    }
    return live;
  }

  static String evidence(Throwable thrown) {
    StringBuilder evidence = new StringBuilder(thrown.toString());
    StackTraceElement[] frames = thrown.getStackTrace();
    for (int i = 0; i < Math.min(frames.length, EVIDENCE_FRAMES); i++) {
      evidence.append("\n  at ").append(frames[i]);
    }
    return evidence.toString();
  }
}
