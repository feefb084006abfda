package dev.damask.cli.cases;

import dev.damask.cli.command.ClusterUrls;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.StoreCommand;
import dev.damask.cli.command.StoreFolder;
import dev.damask.cli.command.Streams;
import dev.damask.cluster.ClusterProvider;
import dev.damask.ops.StoreCopier;
import dev.damask.store.StoreException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Creates, upgrades and tests the store of a cluster.
@Command(
    name = "store",
    description = {
      "Prepares a PostgreSQL database for a cluster, and copies stores.",
      "init creates the tables. upgrade brings them to this version while older nodes run.",
      "doctor tests whether a server has the guarantees that a cluster needs.",
      "copy copies a whole store, a directory or a URL, into an empty one, and compares both."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:done", "1:the server lacks a guarantee", "2:a wrong URL, or no access"})
public final class ClusterCommand implements Callable<Integer> {
  private final Streams streams;

  @Parameters(
      paramLabel = "ACTION URL",
      arity = "0..*",
      description =
          "The action, which is init, upgrade or doctor, and the URL of the database, such as"
              + " postgresql://user:password@host/database?schema=damask. Or copy, and the stores"
              + " FROM and TO.")
  private List<String> words = List.of();

  @Option(
      names = "--finish",
      description =
          "With 'upgrade', when all nodes have the new version: allows them to write its formats."
              + " Older versions are refused from then on.")
  private boolean finishes;

  private static final long BEAT_NANOS = 1_000_000_000;

  private long reportedNanos = System.nanoTime();

  @Spec private @Nullable CommandSpec spec;

  public ClusterCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    if (!words.isEmpty() && words.getFirst().equals("copy")) {
      return copy();
    }
    if (words.size() != 2) {
      throw StoreCommand.misused(spec, "expected ACTION and URL");
    }
    String url = ClusterUrls.require(words.get(1));
    ClusterProvider provider = ClusterUrls.provider(url);
    if (finishes && !words.getFirst().equals("upgrade")) {
      throw new Refusal("--finish requires the action upgrade");
    }
    try {
      String shown = provider.shown(url);
      return switch (words.getFirst()) {
        case "init" -> {
          print(shown, provider.init(url) ? "created" : "the tables exist");
          yield Exit.OK;
        }
        case "upgrade" -> {
          upgrade(provider, url, shown);
          yield Exit.OK;
        }
        case "doctor" -> doctor(provider, url);
        default ->
            throw StoreCommand.misused(
                spec, "expected init, upgrade, doctor or copy, got '" + words.getFirst() + "'");
      };
    } catch (StoreException e) {
      throw new Refusal(String.valueOf(e.getMessage()));
    }
  }

  private int copy() {
    if (words.size() != 3) {
      throw StoreCommand.misused(spec, "expected copy FROM TO");
    }
    StoreFolder from = new StoreFolder(Path.of(words.get(1)));
    StoreFolder to = new StoreFolder(Path.of(words.get(2)));
    if (from.toString().equals(to.toString())) {
      throw new Refusal("copy requires two stores, got " + from + " for both");
    }
    StoreCopier copier =
        new StoreCopier(() -> from.openAlone(false), () -> to.openAlone(true), this::progress);
    try {
      print(to.toString(), copier.copy() + " cases copied from " + from + " and compared");
      return Exit.OK;
    } catch (StoreException e) {
      throw new Refusal(to + ": " + e.getMessage());
    }
  }

  private void progress(String what, int done, int all) {
    long now = System.nanoTime();
    if (done == all || now - reportedNanos > BEAT_NANOS) {
      reportedNanos = now;
      streams.err().println("damask: " + what + " " + done + " of " + all + " cases");
    }
  }

  private void upgrade(ClusterProvider provider, String url, String shown) {
    if (finishes) {
      provider.finish(url);
      print(shown, "the upgrade is finished");
    } else {
      print(shown, provider.upgrade(url) ? "upgraded" : "has this version already");
    }
  }

  private int doctor(ClusterProvider provider, String url) {
    List<ClusterProvider.Finding> findings = provider.doctor(url);
    boolean isPassed = true;
    for (ClusterProvider.Finding each : findings) {
      boolean isOk = each.problem().isEmpty();
      isPassed &= isOk;
      streams.out().println((isOk ? "ok      " : "FAILED  ") + each.check() + reason(each));
    }
    print(
        provider.shown(url),
        isPassed ? "fit for a cluster" : "not fit for a cluster; use another server");
    return isPassed ? Exit.OK : Exit.DIFFERENT;
  }

  private static String reason(ClusterProvider.Finding finding) {
    return finding.problem().isEmpty() ? "" : ": " + finding.problem();
  }

  private void print(String shown, String what) {
    streams.out().println(shown + ": " + what);
  }
}
