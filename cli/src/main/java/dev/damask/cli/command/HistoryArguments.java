package dev.damask.cli.command;

import dev.damask.cases.EngineOptions;
import dev.damask.history.HistoryPolicy;
import dev.damask.history.JournalMode;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The options that select what a command keeps of the past of the cases that it moves.
public final class HistoryArguments {
  @Option(
      names = "--history",
      paramLabel = "POLICY",
      completionCandidates = Policies.class,
      description =
          "Selects the revisions of a case that the store keeps: all, last, or a number of"
              + " revisions. Default: all, which keeps up to 10000 revisions or 64 MiB per case.")
  private @Nullable String history;

  @Option(
      names = "--history-bytes",
      paramLabel = "N",
      description =
          "The maximum size of the kept revisions of one case with their values. Default: 64 MiB.")
  private @Nullable Long bytes;

  @Option(
      names = "--journal",
      paramLabel = "MODE",
      completionCandidates = Modes.class,
      description =
          "Selects whether the store keeps the inputs of cases: inputs or none. Without them,"
              + " 'damask show' has no states between two revisions, and a case cannot become a"
              + " scenario. Default: inputs.")
  private @Nullable String journal;

  /// The words of `--history`.
  static final class Policies implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return List.of("all", "last").iterator();
    }
  }

  /// The values of `--journal`.
  static final class Modes implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return List.of("inputs", "none").iterator();
    }
  }

  /// Throws [Refusal] if a value is wrong, or if an option is given for cases that end with the
  /// command.
  public void require(boolean hasStore) {
    if (!hasStore && (history != null || bytes != null || journal != null)) {
      String given =
          history != null ? "--history" : bytes != null ? "--history-bytes" : "--journal";
      throw new Refusal(given + " requires --store; a case in memory ends with the command");
    }
    policy();
    mode();
  }

  /// Returns engine options with the values that are given. Throws [Refusal] if one is wrong.
  public EngineOptions apply(EngineOptions options) {
    return options.withHistory(policy()).withJournal(mode());
  }

  private HistoryPolicy policy() {
    HistoryPolicy policy = revisions();
    if (bytes == null) {
      return policy;
    }
    if (!policy.keepsAll()) {
      throw new Refusal("--history-bytes cannot be used with --history last; only one state stays");
    }
    if (bytes < 1) {
      throw new Refusal("--history-bytes must be positive, got " + bytes);
    }
    return policy.withBytesMax(bytes);
  }

  private HistoryPolicy revisions() {
    if (history == null || history.equals("all")) {
      return HistoryPolicy.ALL;
    }
    if (history.equals("last")) {
      return HistoryPolicy.LAST;
    }
    if (history.length() > 18 || !history.matches("0*[1-9][0-9]*")) {
      throw new Refusal(
          "--history must be all, last or a positive number of revisions, got '" + history + "'");
    }
    return HistoryPolicy.ALL.withRevisionsMax(Long.parseLong(history));
  }

  private JournalMode mode() {
    return switch (journal == null ? "inputs" : journal) {
      case "inputs" -> JournalMode.INPUTS;
      case "none" -> JournalMode.NONE;
      default -> throw new Refusal("--journal must be inputs or none, got '" + journal + "'");
    };
  }
}
