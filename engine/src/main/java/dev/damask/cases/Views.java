package dev.damask.cases;

import dev.damask.effect.EffectIntent;
import dev.damask.exec.EffectRequest;
import dev.damask.exec.Machine;
import dev.damask.exec.Outcome;
import dev.damask.exec.StateCodec;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.Store;
import dev.damask.task.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// What people see of a case, and how a case comes back from its record.
final class Views {
  private static final int EVIDENCE_FRAMES = 12;

  private Views() {}

  /// @param live null when the case is not in memory because its program is missing
  static CaseView of(String caseId, @Nullable LiveCase live, Store store) {
    if (live != null) {
      return of(live);
    }
    CaseRecord record =
        store
            .load(caseId)
            .orElseThrow(() -> new IllegalArgumentException("there is no case " + caseId));
    return new CaseView(
        caseId,
        record.workflow(),
        record.program(),
        record.status(),
        record.revision(),
        Context.empty(),
        Optional.empty(),
        List.of(),
        List.of(),
        record.dueMillis() == CaseRecord.NEVER
            ? OptionalLong.empty()
            : OptionalLong.of(record.dueMillis()),
        List.of(missing(record)));
  }

  private static CaseView of(LiveCase live) {
    List<PendingTask> tasks = new ArrayList<>();
    for (EffectRequest request : live.state.pendingEffects()) {
      EffectIntent intent = live.intents.get(request.id());
      tasks.add(
          new PendingTask(
              request.id(),
              request.token().number(),
              request.task().name(),
              request.label(),
              request.attempt(),
              intent == null ? request.task().name() : intent.type(),
              intent == null ? "" : intent.key()));
    }
    List<String> places = List.of();
    List<String> report = List.of();
    switch (live.machine.outcome(live.state)) {
      case Outcome.Waits(_, var names, _) -> places = names;
      case Outcome.Deadlocked(var lines) -> report = lines;
      case Outcome.Done _, Outcome.Yielded _, Outcome.Failed _, Outcome.Cancelled _ -> {}
    }
    if (live.isQuarantined && live.record != null) {
      report = List.of(live.record.evidence());
    }
    return new CaseView(
        live.id,
        live.workflow,
        live.state.program().hash(),
        live.status(),
        live.revision(),
        live.state.result(),
        live.state.failure(),
        tasks,
        places,
        Waits.nextDue(live),
        report);
  }

  static String missing(CaseRecord record) {
    return "case %s waits for program %s of workflow %s: open the engine with that workflow"
        .formatted(record.caseId(), record.program(), record.workflow());
  }

  static LiveCase load(CaseRecord record, Machine machine, List<EffectIntent> intents) {
    LiveCase live =
        new LiveCase(
            record.caseId(),
            record.workflow(),
            record.startedMillis(),
            machine,
            StateCodec.decode(machine, record.state()));
    live.record = record;
    live.durableRevision = record.revision();
    live.chain = record.receipts();
    live.isQuarantined = record.status() == CaseStatus.QUARANTINED;
    for (EffectIntent intent : intents) {
      live.intents.put(intent.id(), intent);
      live.tokens.put(intent.token(), intent.id());
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
