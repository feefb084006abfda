package dev.damask.caller;

import dev.damask.attribute.CaseFacts;
import dev.damask.event.Failure;
import dev.damask.event.StateView;
import dev.damask.program.ProgramHash;
import dev.damask.store.CaseStatus;
import dev.damask.task.TaskAddress;
import dev.damask.value.Context;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// A case at one durable revision.
///
/// @param workflow empty if the case is corrupt
/// @param program zero if the case is corrupt
/// @param context the result of an ended case, else its present context: what its tokens and
///   finished branches have written so far, where a key of [#divided] has the value of the later
///   token; empty when its program is missing
/// @param cancelled what was cancelled and why, if that ended the case
/// @param places the external places it waits for
/// @param sets the instance sets that stay open until `closeInstances` closes them
/// @param report why it is stuck; empty when it is not
/// @param lateFailures the failures of leftovers after the case had its result, the first 100; they
///   change nothing
/// @param tokens every token with its place in the source and its context, the oldest [#TOKENS_MAX]
/// @param divided the keys for which parallel tokens have different values now
/// @param facts the attributes of the case and what it waits for, by which it is found
/// @param pause why it is paused, or was while stored inputs are still being applied
/// @param origin where its state was copied from
public record CaseView(
    String caseId,
    String workflow,
    ProgramHash program,
    CaseStatus status,
    long revision,
    Context context,
    Optional<Failure> failure,
    Optional<CaseResult.Cancelled<Context>> cancelled,
    List<PendingTask> tasks,
    List<String> places,
    List<String> sets,
    OptionalLong nextDue,
    List<String> report,
    List<Failure> lateFailures,
    List<StateView.Token> tokens,
    List<String> divided,
    CaseFacts facts,
    Optional<CasePause> pause,
    Optional<CaseOrigin> origin) {
  /// How many tokens a view shows.
  public static final int TOKENS_MAX = 1_000;

  public CaseView {
    tokens = List.copyOf(tokens);
    divided = List.copyOf(divided);
    tasks = List.copyOf(tasks);
    places = List.copyOf(places);
    sets = List.copyOf(sets);
    report = List.copyOf(report);
    lateFailures = List.copyOf(lateFailures);
  }

  /// Returns this view with another report.
  public CaseView withReport(List<String> lines) {
    return new CaseView(
        caseId,
        workflow,
        program,
        status,
        revision,
        context,
        failure,
        cancelled,
        tasks,
        places,
        sets,
        nextDue,
        lines,
        lateFailures,
        tokens,
        divided,
        facts,
        pause,
        origin);
  }

  /// The oldest pending task that an address such as `A[2]#1` means. An exact label wins over a
  /// name that several instances have.
  public Optional<PendingTask> task(String address) {
    return TaskAddress.parse(address).flatMap(this::task);
  }

  /// The oldest pending task that an address means.
  public Optional<PendingTask> task(TaskAddress address) {
    return address.among(tasks, PendingTask::address).stream().findFirst();
  }
}
