package dev.damask.cli.cases;

import dev.damask.cli.command.ClusterUrls;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Fields;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.ServerArguments;
import dev.damask.cli.command.ServerClient;
import dev.damask.cli.command.ServerProblem;
import dev.damask.cli.command.StoreCommand;
import dev.damask.cli.command.Streams;
import dev.damask.cluster.ClusterProvider;
import dev.damask.json.JsonWriter;
import dev.damask.store.StoreException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Lists the nodes of a cluster.
@Command(
    name = "nodes",
    description = {
      "Lists the nodes of a cluster with epochs, heartbeats, slots and inboxes.",
      "Cases whose program a node lacks, and messages that wait for a program, are listed below the"
          + " nodes. A fenced node is listed for a day."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:listed", "2:a wrong URL, or no access"})
public final class NodesCommand implements Callable<Integer> {
  private static final String LINE = "%6s  %7s  %10s  %6s  %6s  %-8s  %s";
  private static final long WATCH_MILLIS = 1_000;

  private final Streams streams;

  @Parameters(
      paramLabel = "URL",
      arity = "0..1",
      description = "The URL of the cluster. Default: --store.")
  private @Nullable String argument;

  @Option(names = "--store", paramLabel = "URL", description = "The URL of the cluster.")
  private @Nullable String store;

  @Mixin private ServerArguments server = new ServerArguments();

  @Option(names = "--watch", description = "Lists the nodes again every second.")
  private boolean watches;

  @Option(names = "--json", description = "Prints one JSON object per list.")
  private boolean json;

  @Spec private @Nullable CommandSpec spec;

  public NodesCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws InterruptedException {
    String given = argument == null ? store : argument;
    ServerClient client = server.client(given != null);
    if (client != null) {
      try (client) {
        return watch(() -> served(client));
      }
    }
    if (given == null) {
      throw StoreCommand.misused(spec, "missing URL");
    }
    String url = ClusterUrls.require(given);
    ClusterProvider provider = ClusterUrls.provider(url);
    return watch(() -> new Listing(provider.nodes(url), provider.missing(url), provider.held(url)));
  }

  /// The nodes, the programs that they lack, and the messages that wait for a program.
  private record Listing(
      List<ClusterProvider.NodeView> nodes, List<String> missing, List<String> held) {}

  private static Listing served(ServerClient client) {
    Map<String, @Nullable Object> found = client.get("/v1/nodes", Map.of());
    List<ClusterProvider.NodeView> nodes =
        Fields.objects(found, "items").stream().map(NodesCommand::view).toList();
    return new Listing(nodes, Fields.texts(found, "missing"), Fields.texts(found, "held"));
  }

  private static ClusterProvider.NodeView view(Map<String, @Nullable Object> node) {
    return new ClusterProvider.NodeView(
        (int) Fields.whole(node, "node"),
        Fields.whole(node, "epoch"),
        Fields.whole(node, "heartbeat"),
        Fields.whole(node, "slots"),
        Fields.whole(node, "inbox"),
        Fields.text(node, "state").equals("FENCED"),
        Fields.text(node, "address"));
  }

  private int watch(Supplier<Listing> listing) throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    boolean isListed = false;
    do {
      try {
        print(listing.get());
        isListed = true;
      } catch (Refusal | ServerProblem e) {
        if (!watches || !isListed) { // a wrong URL or token, not a server that restarts
          throw e;
        }
        streams.err().println("damask: " + e.getMessage());
      } catch (StoreException e) {
        if (!watches) {
          throw new Refusal(String.valueOf(e.getMessage()));
        }
        streams.err().println("damask: " + e.getMessage());
      }
    } while (watches && !never.await(WATCH_MILLIS, TimeUnit.MILLISECONDS));
    return Exit.OK;
  }

  private void print(Listing listing) {
    List<ClusterProvider.NodeView> nodes = listing.nodes();
    List<String> missing = listing.missing();
    List<String> held = listing.held();
    if (json) {
      streams
          .out()
          .println(
              JsonWriter.line(
                  JsonWriter.object(
                      "nodes",
                      nodes.stream().map(NodesCommand::object).toList(),
                      "missing",
                      missing,
                      "held",
                      held)));
    } else {
      streams
          .out()
          .println(LINE.formatted("node", "epoch", "heartbeat", "slots", "inbox", "", "address"));
      for (ClusterProvider.NodeView each : nodes) {
        streams
            .out()
            .println(
                LINE.formatted(
                        each.id(),
                        each.epoch(),
                        each.heartbeat() < 0 ? "-" : each.heartbeat(),
                        each.slots(),
                        each.inbox(),
                        each.isFenced() ? "fenced" : "",
                        each.address())
                    .stripTrailing());
      }
      missing.forEach(streams.out()::println);
      held.forEach(streams.out()::println);
    }
    streams.out().flush();
  }

  private static Map<String, @Nullable Object> object(ClusterProvider.NodeView node) {
    return JsonWriter.object(
        "node", node.id(),
        "epoch", node.epoch(),
        "heartbeat", node.heartbeat(),
        "slots", node.slots(),
        "inbox", node.inbox(),
        "fenced", node.isFenced(),
        "address", node.address());
  }
}
