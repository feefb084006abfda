package dev.damask.cases;

import dev.damask.exec.Failure;
import dev.damask.program.ProgramHash;
import dev.damask.store.CaseStatus;
import dev.damask.task.Context;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// A case at one durable revision.
///
/// @param context the result of a completed case, else what it was started with; empty when its
///   program is missing
/// @param places the external places somebody waits for
/// @param report why it is stuck; empty when it is not
public record CaseView(
    String caseId,
    String workflow,
    ProgramHash program,
    CaseStatus status,
    long revision,
    Context context,
    Optional<Failure> failure,
    List<PendingTask> tasks,
    List<String> places,
    OptionalLong nextDue,
    List<String> report) {
  public CaseView {
    tasks = List.copyOf(tasks);
    places = List.copyOf(places);
    report = List.copyOf(report);
  }
}
