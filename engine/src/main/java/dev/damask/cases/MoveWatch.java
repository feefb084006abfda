package dev.damask.cases;

import dev.damask.exec.Input;
import dev.damask.task.Context;

/// Sees everything that an engine does to the machine of a case, in order: for tests that repeat
/// it.
public interface MoveWatch {
  /// Looks away.
  MoveWatch NOBODY =
      new MoveWatch() {
        @Override
        public void started(String caseId, Context context, long now) {}

        @Override
        public void applied(String caseId, Input input) {}

        @Override
        public void ran(String caseId, int quantum) {}

        @Override
        public void committed(String caseId, long revision) {}

        @Override
        public void dropped(String caseId) {}
      };

  void started(String caseId, Context context, long now);

  void applied(String caseId, Input input);

  /// The machine ran for at most so many steps.
  void ran(String caseId, int quantum);

  /// What was seen since the last commit belongs to this revision, which is not durable yet.
  void committed(String caseId, long revision);

  /// What was seen since the last commit is forgotten.
  void dropped(String caseId);
}
