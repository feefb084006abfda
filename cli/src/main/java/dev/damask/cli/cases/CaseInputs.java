package dev.damask.cli.cases;

import dev.damask.caller.CaseReply;
import dev.damask.caller.CaseView;
import dev.damask.caller.MigrationResult;
import dev.damask.caller.PendingTask;
import dev.damask.caller.SignalOptions;
import dev.damask.caller.StartReply;
import dev.damask.check.Nearest;
import dev.damask.cli.command.CaseHost;
import dev.damask.cli.command.Refusal;
import dev.damask.document.ContextReader;
import dev.damask.document.LoadedDocument;
import dev.damask.event.Mapping;
import dev.damask.event.Reply;
import dev.damask.store.CaseRecord;
import dev.damask.task.EffectId;
import dev.damask.task.TaskAddress;
import dev.damask.value.Context;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Sends inputs to one case: in a store, or at a server. Every method throws [Refusal] if the case
/// rejects the input with a reason that is not a reply, such as a signal to a quarantined case.
public interface CaseInputs extends AutoCloseable {
  /// Opens a case of a host. Throws [Refusal] if it does not exist.
  ///
  /// @param file the document, for a store that does not keep it; null when it does
  static CaseInputs open(CaseHost host, String caseId, @Nullable Path file) {
    return host.open(
        store -> EngineInputs.open(store, caseId, file),
        server -> ServerInputs.open(server, caseId, file));
  }

  /// Returns the case as it is now.
  CaseView view();

  /// Puts a token on an external place.
  CaseReply signal(String place, Map<String, @Nullable Object> payload, SignalOptions options);

  /// Completes a pending task.
  CaseReply completeTask(EffectId task, Map<String, @Nullable Object> result);

  /// Completes a scope early.
  CaseReply complete(String scope);

  /// Fails an attempt of a pending task.
  CaseReply failTask(EffectId task, String reason);

  /// Cancels the case, a scope, a set of instances or all executions of a task.
  CaseReply cancel(String scope, String reason);

  /// Cancels one execution of a task.
  CaseReply cancelTask(EffectId task);

  /// Releases a quarantined case.
  CaseReply retry();

  /// Pauses the case.
  CaseReply pause(String reason);

  /// Resumes the case.
  CaseReply resume();

  /// Writes keys of the context of one waiting token.
  CaseReply changeData(int token, Map<String, @Nullable Object> values, String reason);

  /// Starts the case again under a new id.
  ///
  /// @param position null for its input
  StartReply startAgain(String newId, @Nullable Long position);

  /// Deletes the case. Returns false if it has not ended.
  boolean delete();

  /// Registers another version of the workflow and migrates the case to it.
  MigrationResult migrate(LoadedDocument target, Mapping mapping);

  @Override
  void close();

  /// Returns the pending task of an id or of an exact label as lists of tasks print it; if there is
  /// none, the oldest one of that name in any instance.
  default Optional<PendingTask> task(String text) {
    return task(view().tasks(), text);
  }

  /// Returns the pending task that a string means, as [#task(String)] does.
  static Optional<PendingTask> task(List<PendingTask> tasks, String text) {
    return tasks.stream()
        .filter(task -> task.id().toString().equals(text))
        .findFirst()
        .or(() ->
            TaskAddress.parse(text).stream()
                .flatMap(address -> address.among(tasks, PendingTask::address).stream())
                .findFirst());
  }

  /// Returns the pending task that a string means. Throws [Refusal] if there is none.
  default PendingTask requireTask(String text) {
    CaseView view = view();
    List<PendingTask> tasks = view.tasks();
    return task(tasks, text)
        .orElseThrow(() ->
            new Refusal(
                "case %s has no pending task '%s', %s"
                    .formatted(
                        view.caseId(),
                        text,
                        tasks.isEmpty()
                            ? "no task is pending"
                            : Nearest.hint(text, tasks.stream().map(PendingTask::task).toList()))));
  }

  /// Returns the refusal of a case whose workflow is not known.
  static Refusal unknown(CaseRecord record) {
    return new Refusal(
        "case %s: the store does not contain its workflow %s; name the document with --document"
            .formatted(record.caseId(), record.workflow()));
  }

  /// Returns data given on the command line.
  static Context data(String option, String text) {
    ContextReader reader = new ContextReader();
    return text.startsWith("@")
        ? reader.read(Path.of(text.substring(1)))
        : reader.read(option, text);
  }

  /// Returns the word for a reply.
  static String word(Reply reply) {
    return switch (reply) {
      case ACCEPTED -> "accepted";
      case LOST -> "lost";
      case BUFFERED -> "buffered";
      case REJECTED -> "rejected";
      case LATE -> "late";
      case NO_SUCH_REGION -> "noSuchRegion";
      case CASE_ENDED -> "caseEnded";
      case STORED -> "stored";
    };
  }

  /// Returns whether the case took the input.
  static boolean isTaken(Reply reply) {
    return reply == Reply.ACCEPTED || reply == Reply.BUFFERED || reply == Reply.STORED;
  }
}
