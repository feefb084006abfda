package dev.damask.cli.cases;

import dev.damask.caller.CaseReply;
import dev.damask.caller.CaseView;
import dev.damask.caller.MigrationResult;
import dev.damask.caller.SignalOptions;
import dev.damask.caller.StartReply;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cli.command.KeptDocuments;
import dev.damask.cli.command.KnownWorkflow;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.StoreCommand;
import dev.damask.document.DocumentSource;
import dev.damask.document.LoadedDocument;
import dev.damask.effect.SleepEffect;
import dev.damask.event.Mapping;
import dev.damask.ops.SourceReader;
import dev.damask.store.CaseRecord;
import dev.damask.store.Store;
import dev.damask.task.EffectId;
import dev.damask.value.Bytes;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// An engine that applies inputs to one case of a store and calls no handler except `sleep`. The
/// next `damask run` performs the other effects.
final class EngineInputs implements CaseInputs {
  private final Engine engine;
  private final String caseId;

  private EngineInputs(Engine engine, String caseId) {
    this.engine = engine;
    this.caseId = caseId;
  }

  static EngineInputs open(Store store, String caseId, @Nullable Path file) {
    boolean isOpen = false;
    try {
      CaseRecord record = StoreCommand.require(store, caseId);
      KnownWorkflow known =
          file == null
              ? new KeptDocuments(store, null)
                  .workflow(record.program())
                  .orElseThrow(() -> CaseInputs.unknown(record))
              : KnownWorkflow.of(LoadedDocument.loadStored(DocumentSource.read(file)));
      LoadedDocument document = known.document();
      if (!known.program().hash().equals(record.program())) {
        throw new Refusal(
            "case %s: started with another version of workflow %s than %s"
                .formatted(caseId, record.workflow(), file));
      }
      SourceReader reader = document == null ? SourceReader.NONE : only(document);
      Engine engine = Engine.open(options().withSources(reader), store);
      if (document != null) {
        engine.register(document.workflow(), document.program(), Bytes.of());
      } // else the engine keeps signals until one with the code opens the store
      isOpen = true;
      return new EngineInputs(engine, caseId);
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

  /// Returns the options of the engine of a command that changes cases.
  static EngineOptions options() {
    return EngineOptions.defaults()
        .withShards(1)
        .withOwnerService(false)
        .withHandlers(Map.of("sleep", new SleepEffect()));
  }

  private <T> T take(Function<Engine, T> input) {
    try {
      return input.apply(engine);
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new Refusal(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public CaseView view() {
    return engine.status(caseId);
  }

  @Override
  public CaseReply signal(
      String place, Map<String, @Nullable Object> payload, SignalOptions options) {
    return take(each -> each.signal(caseId, place, payload, options));
  }

  @Override
  public CaseReply completeTask(EffectId task, Map<String, @Nullable Object> result) {
    return take(each -> each.completeTask(caseId, task, result));
  }

  @Override
  public CaseReply complete(String scope) {
    return take(each -> each.complete(caseId, scope));
  }

  @Override
  public CaseReply failTask(EffectId task, String reason) {
    return take(each -> each.failTask(caseId, task, reason));
  }

  @Override
  public CaseReply cancel(String scope, String reason) {
    return take(each -> each.cancel(caseId, scope, reason));
  }

  @Override
  public CaseReply cancelTask(EffectId task) {
    return take(each -> each.cancelTask(caseId, task));
  }

  @Override
  public CaseReply retry() {
    return take(each -> each.retry(caseId));
  }

  @Override
  public CaseReply pause(String reason) {
    return take(each -> each.pause(caseId, reason));
  }

  @Override
  public CaseReply resume() {
    return take(each -> each.resume(caseId));
  }

  @Override
  public CaseReply changeData(int token, Map<String, @Nullable Object> values, String reason) {
    return take(each -> each.changeData(caseId, token, values, reason));
  }

  @Override
  public StartReply startAgain(String newId, @Nullable Long position) {
    return take(each ->
        position == null
            ? each.startAgain(caseId, newId)
            : each.startAgain(caseId, newId, position));
  }

  @Override
  public boolean delete() {
    return take(each -> each.delete(caseId));
  }

  @Override
  public MigrationResult migrate(LoadedDocument target, Mapping mapping) {
    return take(each -> {
      each.register(target.workflow(), target.program(), target.bytes());
      return each.migrate(caseId, target.workflow(), mapping);
    });
  }

  @Override
  public void close() {
    engine.close();
  }
}
