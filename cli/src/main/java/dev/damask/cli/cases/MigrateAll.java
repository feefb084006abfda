package dev.damask.cli.cases;

import dev.damask.cli.command.CaseHost;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.Streams;
import dev.damask.document.LoadedDocument;
import dev.damask.event.Mapping;
import dev.damask.json.JsonWriter;
import dev.damask.ops.MigrationPlan;
import dev.damask.ops.MigrationProgress;
import dev.damask.store.CaseQuery;
import java.util.List;

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

  int run(CaseHost host, LoadedDocument target, Mapping mapping, Mode mode) {
    try (MigrationBook book = MigrationBook.open(host, target, mapping)) {
      boolean isComplete = true;
      for (String from : book.others()) {
        isComplete &= mode == Mode.PLAN ? explain(book, from) : perform(book, from, mode);
      }
      return isComplete ? Exit.OK : Exit.DIFFERENT;
    }
  }

  private boolean explain(MigrationBook book, String from) {
    String to = book.target.program().hash().toString();
    List<MigrationPlan.Part> parts = book.plan(from);
    if (isJson) {
      print(
          JsonWriter.line(
              JsonWriter.object(
                  "from",
                  from,
                  "to",
                  to,
                  "parts",
                  parts.stream()
                      .map(part ->
                          JsonWriter.object(
                              "what", part.what(),
                              "path", part.path(),
                              "becomes", part.partner(),
                              "why", part.why()))
                      .toList())));
    } else {
      String name = book.target.workflow().name();
      print("workflow %s: program %s to %s".formatted(name, from, to));
      parts.forEach(part -> print("  " + part));
    }
    return parts.stream().noneMatch(MigrationPlan.Part::isLost);
  }

  private boolean perform(MigrationBook book, String from, Mode mode) {
    MigrationProgress progress =
        mode == Mode.DRY_RUN
            ? book.dryRun(from)
            : book.run(
                from, batch, moved -> streams.err().println("damask: " + moved + " migrated"));
    if (isJson) {
      print(
          JsonWriter.line(
              JsonWriter.object(
                  "from", from,
                  "to", book.target.program().hash().toString(),
                  "dryRun", mode == Mode.DRY_RUN,
                  "migrated", progress.moved(),
                  "refused", progress.refused(),
                  "reasons", progress.reasons())));
    } else {
      String verb = mode == Mode.DRY_RUN ? "can be migrated" : "migrated";
      print(
          "program %s: %d %s, %d cannot be migrated"
              .formatted(from, progress.moved(), verb, progress.refused()));
      progress.reasons().forEach((reason, count) -> print("  %d: %s".formatted(count, reason)));
    }
    return progress.refused() == 0;
  }

  private void print(String line) {
    streams.out().println(line);
  }
}
