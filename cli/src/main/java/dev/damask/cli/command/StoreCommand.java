package dev.damask.cli.command;

import dev.damask.check.Nearest;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.Store;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// A command on a store: its directory and its output.
public abstract class StoreCommand implements Callable<Integer> {
  public static final String ARGUMENTS_NOTE = "Without --store, the directory comes first.";

  protected final Streams streams;

  @Option(
      names = "--store",
      paramLabel = "DIR or URL",
      description =
          "The directory of the store, or the URL of a cluster. Default: the first argument.")
  private @Nullable Path folder;

  @Mixin private ServerArguments server = new ServerArguments();

  @Option(names = "--json", description = "Prints the result as one JSON object.")
  protected boolean json;

  @Spec private @Nullable CommandSpec spec;

  public StoreCommand(Streams streams) {
    this.streams = streams;
  }

  /// Where the cases are, and the other arguments.
  ///
  /// @param words as many as there are names, or fewer by the last ones that are optional
  public record Arguments(CaseHost host, List<String> words) {
    public String get(int index) {
      return words.get(index);
    }

    public boolean has(int index) {
      return index < words.size();
    }
  }

  /// Separates the directory from the other arguments.
  ///
  /// @param names the arguments after the directory; those in brackets are optional
  protected Arguments arguments(List<String> given, String... names) {
    List<String> words = new ArrayList<>(given);
    ServerClient client = server.client(folder != null);
    Path path = folder;
    if (path == null && client == null) {
      if (words.isEmpty()) {
        throw misused(spec, "missing DIR");
      }
      path = Path.of(words.removeFirst());
    }
    for (int i = words.size(); i < names.length; i++) {
      if (!names[i].startsWith("[")) {
        throw misused(spec, "missing " + names[i]);
      }
    }
    if (words.size() > names.length) {
      throw misused(spec, "'" + words.get(names.length) + "' is an unexpected argument");
    }
    return new Arguments(host(path, client), words);
  }

  private static CaseHost host(@Nullable Path path, @Nullable ServerClient client) {
    if (client != null) {
      return CaseHost.of(client);
    }
    return CaseHost.of(new StoreFolder(Objects.requireNonNull(path)));
  }

  /// Returns the error of a command line that cannot be executed.
  ///
  /// @param spec null outside of a command line
  public static RuntimeException misused(@Nullable CommandSpec spec, String sentence) {
    return spec == null
        ? new Refusal(sentence)
        : new ParameterException(spec.commandLine(), sentence);
  }

  /// Returns the record of a case. Throws [Refusal] with similar ids if the case does not exist.
  public static CaseRecord require(Store store, String caseId) {
    return store
        .record(caseId)
        .orElseThrow(() ->
            unknown(
                caseId,
                store.list(CaseQuery.ALL.withPage("", CaseQuery.LIMIT_MAX)).cases().stream()
                    .map(CaseRecord::caseId)
                    .toList()));
  }

  /// Returns the refusal of a case that does not exist.
  ///
  /// @param ids the first cases of the store
  public static Refusal unknown(String caseId, List<String> ids) {
    String hint =
        ids.isEmpty()
            ? "the store is empty"
            : caseId.length() > 100 ? "see 'damask cases'" : Nearest.hint(caseId, ids);
    return new Refusal("no case '" + caseId + "'; " + hint);
  }

  protected void print(String line) {
    streams.out().println(line);
  }
}
