package dev.damask.history;

import dev.damask.event.Choice;
import dev.damask.event.Input;
import dev.damask.event.Mapping;
import dev.damask.event.TraceEvent;
import dev.damask.program.Program;
import dev.damask.store.CaseRecord;
import dev.damask.value.Context;
import java.util.List;
import java.util.function.Supplier;

/// Receives everything that an engine does to the machine of a case, in order, for tests that
/// repeat it. An observer implements the methods for what it needs.
public interface CaseObserver {
  /// An observer that ignores everything.
  CaseObserver NONE = new CaseObserver() {};

  /// A case was started with a context, at a time of the engine's clock.
  default void started(String caseId, Context context, long now) {}

  /// A case was read from the store; what follows begins at this record.
  ///
  /// @param state encodes the whole state
  default void resumed(CaseRecord record, Supplier<byte[]> state) {}

  /// An input was applied to the machine of a case.
  default void applied(String caseId, Input input) {}

  /// A scheduler other than the deterministic one took an option.
  default void chose(String caseId, Choice choice, int taken) {}

  /// What was traced since the last commit; the next commit follows at once.
  default void traced(String caseId, List<TraceEvent> events) {}

  /// The machine ran for at most so many steps.
  default void ran(String caseId, int quantum) {}

  /// The case was moved to another program; what follows happens there.
  default void migrated(String caseId, Program target, Mapping mapping) {}

  /// What was seen since the last commit belongs to this revision, which is not durable yet.
  default void committed(String caseId, long revision) {}

  /// What was seen since the last commit is forgotten.
  default void dropped(String caseId) {}
}
