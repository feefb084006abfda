package dev.damask.cli.cases;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.KeptDocuments;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.StoreFolder;
import dev.damask.cli.command.Streams;
import dev.damask.document.LoadedDocument;
import dev.damask.effect.SleepEffect;
import dev.damask.event.Mapping;
import dev.damask.json.JsonWriter;
import dev.damask.ops.MigrationPlan;
import dev.damask.ops.MigrationProgress;
import dev.damask.store.CaseQuery;
import dev.damask.store.Store;
import dev.damask.store.StoredProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Explains, tries or performs the migration of all cases of a workflow to one version.
record MigrateAll(Streams streams, boolean isJson, int batch) {
  /// What is done.
  enum Mode {
    PLAN,
    DRY_RUN,
    RUN
  }

  MigrateAll {
    if (batch < 1 || batch > CaseQuery.LIMIT_MAX) {
      throw new Refusal("--batch must be between 1 and " + CaseQuery.LIMIT_MAX + ", got " + batch);
    }
  }

  int run(StoreFolder folder, LoadedDocument target, Mapping mapping, Mode mode) {
    try (Store store = folder.open()) {
      KeptDocuments documents = new KeptDocuments(store, target);
      List<LoadedDocument> others = others(store, documents, target);
      if (others.isEmpty()) {
        throw new Refusal(
            "the store contains no other version of workflow " + target.workflow().name());
      }
      EngineOptions options =
          EngineOptions.defaults()
              .withShards(1)
              .withSources(documents)
              .withHandlers(Map.of("sleep", new SleepEffect()));
      try (Engine engine = Engine.open(options, store)) {
        engine.register(target.workflow(), target.program(), target.bytes());
        boolean isComplete = true;
        for (LoadedDocument other : others) {
          MigrationPlan plan = plan(engine, other, target, mapping);
          isComplete &= mode == Mode.PLAN ? explain(plan) : perform(plan, mode);
        }
        return isComplete ? Exit.OK : Exit.DIFFERENT;
      }
    }
  }

  private static List<LoadedDocument> others(
      Store store, KeptDocuments documents, LoadedDocument target) {
    List<LoadedDocument> others = new ArrayList<>();
    for (StoredProgram each : store.programs()) {
      boolean isOther =
          each.name().equals(target.workflow().name())
              && !each.hash().equals(target.program().hash());
      if (isOther) {
        documents.find(each.hash()).ifPresent(others::add);
      }
    }
    return others;
  }

  private static MigrationPlan plan(
      Engine engine, LoadedDocument from, LoadedDocument to, Mapping mapping) {
    try {
      return engine.migrations().plan(from.workflow(), to.workflow(), mapping);
    } catch (IllegalArgumentException e) {
      throw new Refusal(String.valueOf(e.getMessage()));
    }
  }

  private boolean explain(MigrationPlan plan) {
    if (isJson) {
      print(
          JsonWriter.line(
              JsonWriter.object(
                  "from",
                  plan.from().toString(),
                  "to",
                  plan.to().toString(),
                  "parts",
                  plan.parts().stream()
                      .map(part ->
                          JsonWriter.object(
                              "what", part.what(),
                              "path", part.path(),
                              "becomes", part.partner(),
                              "why", part.why()))
                      .toList())));
    } else {
      print(plan.toString());
    }
    return plan.parts().stream().noneMatch(MigrationPlan.Part::isLost);
  }

  private boolean perform(MigrationPlan plan, Mode mode) {
    MigrationProgress progress =
        mode == Mode.DRY_RUN
            ? plan.dryRun()
            : plan.run(
                batch,
                each -> {
                  streams.err().println("damask: " + each.moved() + " migrated");
                  return true;
                });
    if (isJson) {
      print(
          JsonWriter.line(
              JsonWriter.object(
                  "from", plan.from().toString(),
                  "to", plan.to().toString(),
                  "dryRun", mode == Mode.DRY_RUN,
                  "migrated", progress.moved(),
                  "refused", progress.refused(),
                  "reasons", progress.reasons())));
    } else {
      String verb = mode == Mode.DRY_RUN ? "can be migrated" : "migrated";
      print(
          "program %s: %d %s, %d cannot be migrated"
              .formatted(plan.from(), progress.moved(), verb, progress.refused()));
      progress.reasons().forEach((reason, count) -> print("  %d: %s".formatted(count, reason)));
    }
    return progress.refused() == 0;
  }

  private void print(String line) {
    streams.out().println(line);
  }
}
