package dev.damask.cli.cases;

import dev.damask.caller.MigrationResult;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Streams;
import dev.damask.document.LoadedDocument;
import dev.damask.event.Mapping;
import dev.damask.json.JsonWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Migrates a waiting case to another version of its workflow.
@Command(
    name = "migrate",
    description = {
      "Migrates a waiting case, or all cases, to another version of a workflow.",
      "A case is migrated completely, or not at all; then the reasons are printed. With --plan,"
          + " --dry-run or --all, the document is the only argument, and the cases of all other"
          + " versions of its workflow are meant."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:migrated, or all cases can be",
      "1:the case, or at least one of them, cannot be migrated and stays as it is",
      "2:no store, no such case, or an invalid document"
    })
public final class MigrateCommand extends InputCommand {
  @Parameters(
      paramLabel = "[ID] DOC",
      arity = "0..*",
      description = "The case and the document of the new version. " + ARGUMENTS_NOTE)
  private List<String> words = List.of();

  @Option(
      names = "--task",
      paramLabel = "OLD=NEW",
      description = "Maps a task to its name in the new version.")
  private Map<String, String> tasks = Map.of();

  @Option(
      names = "--scope",
      paramLabel = "OLD=NEW",
      description = "Maps a scope or a set of instances to its name in the new version.")
  private Map<String, String> scopes = Map.of();

  @Option(
      names = "--place",
      paramLabel = "OLD=NEW",
      description = "Maps a place to its name in the new version.")
  private Map<String, String> places = Map.of();

  @Option(
      names = "--plan",
      description = "Prints what becomes of each part of the other versions and changes nothing.")
  private boolean isPlan;

  @Option(
      names = "--dry-run",
      description = "Tries the migration of all cases and changes nothing.")
  private boolean isDryRun;

  @Option(names = "--all", description = "Migrates all cases that can be migrated.")
  private boolean isAll;

  @Option(
      names = "--batch",
      paramLabel = "N",
      description = "With --all: how many cases are migrated at a time. Default: 100.")
  private int batch = 100;

  public MigrateCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() {
    if (isPlan || isDryRun || isAll) {
      Arguments arguments = arguments(words, "DOC");
      LoadedDocument target = LoadedDocument.load(Path.of(arguments.get(0)));
      MigrateAll.Mode mode =
          isPlan ? MigrateAll.Mode.PLAN : isDryRun ? MigrateAll.Mode.DRY_RUN : MigrateAll.Mode.RUN;
      return new MigrateAll(streams, json, batch).run(arguments.host(), target, mapping(), mode);
    }
    Arguments arguments = arguments(words, "ID", "DOC");
    Path file = Path.of(arguments.get(1));
    LoadedDocument target = LoadedDocument.load(file);
    try (CaseInputs inputs = open(arguments)) {
      MigrationResult result = inputs.migrate(target, mapping());
      return switch (result) {
        case MigrationResult.Moved _ -> moved(inputs);
        case MigrationResult.Refused(var reasons, _) -> refused(arguments.get(0), reasons);
      };
    }
  }

  private Mapping mapping() {
    Mapping mapping = Mapping.NONE;
    for (Map.Entry<String, String> each : tasks.entrySet()) {
      mapping = mapping.task(each.getKey(), each.getValue());
    }
    for (Map.Entry<String, String> each : scopes.entrySet()) {
      mapping = mapping.scope(each.getKey(), each.getValue());
    }
    for (Map.Entry<String, String> each : places.entrySet()) {
      mapping = mapping.place(each.getKey(), each.getValue());
    }
    return mapping;
  }

  private int moved(CaseInputs inputs) {
    var view = inputs.view();
    print(
        json
            ? JsonWriter.line(
                JsonWriter.object(
                    "case", view.caseId(), "moved", true, "program", view.program().toString()))
            : view.caseId() + ": moved; " + standing(view));
    return Exit.OK;
  }

  private int refused(String caseId, List<String> reasons) {
    if (json) {
      print(JsonWriter.line(JsonWriter.object("case", caseId, "moved", false, "reasons", reasons)));
    } else {
      print(caseId + ": not migrated; nothing was changed");
      reasons.forEach(reason -> print("  " + reason));
    }
    return Exit.DIFFERENT;
  }
}
