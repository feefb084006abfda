package dev.damask.cli.cases;

import dev.damask.cases.Engine;
import dev.damask.cli.command.CaseHost;
import dev.damask.cli.command.Fields;
import dev.damask.cli.command.KeptDocuments;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.ServerClient;
import dev.damask.cli.command.ServerProblem;
import dev.damask.document.LoadedDocument;
import dev.damask.event.Mapping;
import dev.damask.json.JsonWriter;
import dev.damask.ops.MigrationPlan;
import dev.damask.ops.MigrationProgress;
import dev.damask.store.Store;
import dev.damask.store.StoredProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// The versions of one workflow in a store or at a server, and the way to one of them.
abstract sealed class MigrationBook implements AutoCloseable {
  final LoadedDocument target;
  final Mapping mapping;

  private MigrationBook(LoadedDocument target, Mapping mapping) {
    this.target = target;
    this.mapping = mapping;
  }

  /// Registers the target. Throws [Refusal] if there is no other version with a document.
  static MigrationBook open(CaseHost host, LoadedDocument target, Mapping mapping) {
    return host.open(
        store -> InStore.open(store, target, mapping),
        server -> AtServer.open(server, target, mapping));
  }

  /// Returns the programs of the other versions.
  abstract List<String> others();

  /// Returns what becomes of each part of another version.
  abstract List<MigrationPlan.Part> plan(String from);

  /// Tries the migration of all cases of another version.
  abstract MigrationProgress dryRun(String from);

  /// Migrates all cases of another version that can be migrated.
  ///
  /// @param moved receives how many were migrated, now and then
  abstract MigrationProgress run(String from, int batch, LongConsumer moved);

  @Override
  public abstract void close();

  private static Refusal none(LoadedDocument target) {
    return new Refusal(
        "the store contains no other version of workflow " + target.workflow().name());
  }

  /// The versions in a store that the command has opened.
  private static final class InStore extends MigrationBook {
    private final Engine engine;
    private final List<LoadedDocument> others;

    private InStore(
        Engine engine, List<LoadedDocument> others, LoadedDocument target, Mapping mapping) {
      super(target, mapping);
      this.engine = engine;
      this.others = others;
    }

    static InStore open(Store store, LoadedDocument target, Mapping mapping) {
      KeptDocuments documents = new KeptDocuments(store, target);
      List<LoadedDocument> others = new ArrayList<>();
      for (StoredProgram each : store.programs()) {
        boolean isOther =
            each.name().equals(target.workflow().name())
                && !each.hash().equals(target.program().hash());
        if (isOther) {
          documents.find(each.hash()).ifPresent(others::add);
        }
      }
      if (others.isEmpty()) {
        store.close();
        throw none(target);
      }
      Engine engine = Engine.open(EngineInputs.options().withSources(documents), store);
      engine.register(target.workflow(), target.program(), target.bytes());
      return new InStore(engine, others, target, mapping);
    }

    @Override
    List<String> others() {
      return others.stream().map(each -> each.program().hash().toString()).toList();
    }

    private MigrationPlan of(String from) {
      LoadedDocument other =
          others.stream()
              .filter(each -> each.program().hash().toString().equals(from))
              .findFirst()
              .orElseThrow(() -> none(target));
      try {
        return engine.migrations().plan(other.workflow(), target.workflow(), mapping);
      } catch (IllegalArgumentException e) {
        throw new Refusal(String.valueOf(e.getMessage()));
      }
    }

    @Override
    List<MigrationPlan.Part> plan(String from) {
      return of(from).parts();
    }

    @Override
    MigrationProgress dryRun(String from) {
      return of(from).dryRun();
    }

    @Override
    MigrationProgress run(String from, int batch, LongConsumer moved) {
      return of(from)
          .run(
              batch,
              each -> {
                moved.accept(each.moved());
                return true;
              });
    }

    @Override
    public void close() {
      engine.close();
    }
  }

  /// The versions at a server.
  private static final class AtServer extends MigrationBook {
    private final ServerClient server;
    private final List<String> others;

    private AtServer(
        ServerClient server, List<String> others, LoadedDocument target, Mapping mapping) {
      super(target, mapping);
      this.server = server;
      this.others = others;
    }

    static AtServer open(ServerClient server, LoadedDocument target, Mapping mapping) {
      List<String> others = new ArrayList<>();
      String own = target.program().hash().toString();
      try {
        for (Map<String, @Nullable Object> each :
            Fields.objects(server.get(path(target), Map.of()), "versions")) {
          if (Fields.flag(each, "document") && !own.equals(each.get("program"))) {
            others.add(Fields.text(each, "program"));
          }
        }
      } catch (ServerProblem e) {
        if (e.status() != 404) {
          throw e;
        }
      }
      if (others.isEmpty()) {
        throw none(target);
      }
      ServerInputs.put(server, target);
      return new AtServer(server, others, target, mapping);
    }

    private static String path(LoadedDocument target) {
      return "/v1/workflows/" + ServerClient.segment(target.workflow().name());
    }

    @Override
    List<String> others() {
      return others;
    }

    private Map<String, @Nullable Object> ask(String from, boolean isDryRun) {
      Map<String, @Nullable Object> body =
          JsonWriter.object(
              "from",
              from,
              "to",
              target.program().hash().toString(),
              "mapping",
              ServerInputs.json(mapping),
              "dryRun",
              isDryRun);
      try {
        return server.post(path(target) + "/migration", body);
      } catch (ServerProblem e) {
        throw e.refusal();
      }
    }

    @Override
    List<MigrationPlan.Part> plan(String from) {
      List<MigrationPlan.Part> parts = new ArrayList<>();
      for (Map<String, @Nullable Object> each : Fields.objects(ask(from, true), "mapping")) {
        parts.add(
            new MigrationPlan.Part(
                Fields.text(each, "what"),
                Fields.text(each, "from"),
                Fields.text(each, "to"),
                Fields.text(each, "why")));
      }
      return parts;
    }

    private static MigrationProgress progress(Map<String, @Nullable Object> found) {
      Map<String, Long> reasons = new TreeMap<>();
      Map<String, @Nullable Object> given = Fields.object(found, "reasons");
      given.keySet().forEach(each -> reasons.put(each, Fields.whole(given, each)));
      return new MigrationProgress(
          Fields.whole(found, "possible"), Fields.whole(found, "refused"), reasons, Map.of(), true);
    }

    @Override
    MigrationProgress dryRun(String from) {
      return progress(ask(from, true));
    }

    @Override
    MigrationProgress run(String from, int batch, LongConsumer moved) {
      AtomicLong reported = new AtomicLong();
      Map<String, @Nullable Object> done =
          ServerCases.awaitJob(
              server,
              ask(from, false),
              job -> {
                long count = Fields.whole(job, "done");
                if (reported.getAndSet(count) < count) {
                  moved.accept(count);
                }
              });
      return progress(done);
    }

    @Override
    public void close() {
      server.close();
    }
  }
}
