package dev.damask.cli.cases;

import dev.damask.caller.CaseView;
import dev.damask.caller.PendingTask;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.check.Nearest;
import dev.damask.cli.command.KeptDocuments;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.StoreCommand;
import dev.damask.cli.command.StoreFolder;
import dev.damask.document.ContextReader;
import dev.damask.document.DocumentSource;
import dev.damask.document.LoadedDocument;
import dev.damask.effect.SleepEffect;
import dev.damask.event.Reply;
import dev.damask.ops.SourceReader;
import dev.damask.store.CaseRecord;
import dev.damask.store.Store;
import dev.damask.task.TaskAddress;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// An engine that applies inputs to one case and calls no handler except `sleep`. The next `damask
/// run` performs the other effects.
public final class CaseInputs implements AutoCloseable {
  private final Engine engine;
  private final String caseId;

  private CaseInputs(Engine engine, String caseId) {
    this.engine = engine;
    this.caseId = caseId;
  }

  /// @param file the document, for a store that does not keep it; null when it does
  static CaseInputs open(StoreFolder folder, String caseId, @Nullable Path file) {
    Store store = folder.open();
    boolean isOpen = false;
    try {
      CaseRecord record = StoreCommand.require(store, caseId);
      LoadedDocument document =
          file == null
              ? new KeptDocuments(store, null)
                  .find(record.program())
                  .orElseThrow(() -> unknown(record))
              : LoadedDocument.loadStored(DocumentSource.read(file));
      if (!document.program().hash().equals(record.program())) {
        throw new Refusal(
            "case %s: started with another version of workflow %s than %s"
                .formatted(caseId, record.workflow(), file));
      }
      Engine engine = Engine.open(options().withSources(only(document)), store);
      engine.register(document.workflow(), document.program(), Bytes.of());
      isOpen = true;
      return new CaseInputs(engine, caseId);
    } finally {
      if (!isOpen) {
        store.close();
      }
    }
  }

  /// The other cases of the store do not move during this command.
  private static SourceReader only(LoadedDocument document) {
    return source ->
        source.equals(document.bytes()) ? Optional.of(document.program()) : Optional.empty();
  }

  public static Refusal unknown(CaseRecord record) {
    return new Refusal(
        "case %s: the store does not contain its workflow %s; name the document with --document"
            .formatted(record.caseId(), record.workflow()));
  }

  private static EngineOptions options() {
    EngineOptions options = EngineOptions.defaults().withShards(1);
    return options.withHandlers(Map.of("sleep", new SleepEffect()));
  }

  /// Applies an input. Throws [Refusal] if the case rejects it, such as a signal to a quarantined
  /// case.
  <T> T take(Function<Engine, T> input) {
    try {
      return input.apply(engine);
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new Refusal(String.valueOf(e.getMessage()));
    }
  }

  CaseView view() {
    return engine.status(caseId);
  }

  /// The pending task of an id or of an exact label as lists of tasks print it; if there is none,
  /// the oldest one of that name in any instance.
  Optional<PendingTask> task(String text) {
    return task(view().tasks(), text);
  }

  static Optional<PendingTask> task(List<PendingTask> tasks, String text) {
    return tasks.stream()
        .filter(task -> task.id().toString().equals(text))
        .findFirst()
        .or(() ->
            TaskAddress.parse(text).stream()
                .flatMap(address -> address.among(tasks, PendingTask::address).stream())
                .findFirst());
  }

  PendingTask requireTask(String text) {
    List<PendingTask> tasks = view().tasks();
    return task(tasks, text)
        .orElseThrow(() ->
            new Refusal(
                "case %s has no pending task '%s', %s"
                    .formatted(
                        caseId,
                        text,
                        tasks.isEmpty()
                            ? "no task is pending"
                            : Nearest.hint(text, tasks.stream().map(PendingTask::task).toList()))));
  }

  /// Data given on the command line.
  public static Context data(String option, String text) {
    ContextReader reader = new ContextReader();
    return text.startsWith("@")
        ? reader.read(Path.of(text.substring(1)))
        : reader.read(option, text);
  }

  public static String word(Reply reply) {
    return switch (reply) {
      case ACCEPTED -> "accepted";
      case LOST -> "lost";
      case BUFFERED -> "buffered";
      case REJECTED -> "rejected";
      case LATE -> "late";
      case NO_SUCH_REGION -> "noSuchRegion";
      case CASE_ENDED -> "caseEnded";
    };
  }

  static boolean isTaken(Reply reply) {
    return reply == Reply.ACCEPTED || reply == Reply.BUFFERED;
  }

  @Override
  public void close() {
    engine.close();
  }
}
