package dev.damask.cli.cases;

import dev.damask.cli.command.Exit;
import dev.damask.cli.command.LongWork;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.StoreCommand;
import dev.damask.cli.command.Streams;
import dev.damask.json.JsonWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Copies a store.
@Command(
    name = "backup",
    description = {
      "Copies a store into a new directory, also while a process has it open.",
      "The copy can be opened like the original."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:copied", "2:no store, or the target exists"})
public final class BackupCommand extends StoreCommand {
  @Parameters(
      paramLabel = "TARGET",
      arity = "0..*",
      description = "The directory to create. " + ARGUMENTS_NOTE)
  private List<String> words = List.of();

  @Option(
      names = "--link",
      description =
          "Links immutable files instead of copying them. This is faster, but a corrupt file then"
              + " affects both stores.")
  private boolean links;

  public BackupCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() throws Exception {
    Arguments arguments = arguments(words, "TARGET");
    Path target = Path.of(arguments.get(0));
    if (!arguments.host().isServer() && Files.exists(target)) {
      throw new Refusal(target + ": the target exists; name a new directory");
    }
    try (CaseBook book = CaseBook.open(arguments.host(), null)) {
      LongWork.run(
          streams,
          "copying",
          () -> {
            book.backup(target, links);
            return target;
          });
    }
    print(
        json
            ? JsonWriter.line(JsonWriter.object("backup", target.toString()))
            : target + ": copied from " + arguments.host());
    return Exit.OK;
  }
}
