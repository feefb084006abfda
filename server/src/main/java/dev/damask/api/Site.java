package dev.damask.api;

import dev.damask.cluster.ClusterProvider;
import dev.damask.session.Sessions;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/// Where an engine runs, as far as the engine itself does not know it.
///
/// @param about the version of the server and the kind of its store
/// @param nodes reads the nodes of a cluster; without a cluster there are none
/// @param missing reads one sentence for each node and program that it lacks although cases wait
/// @param held reads the messages that the nodes of a cluster cannot apply yet, with the reason
/// @param backups the directory in which backups are created; empty if none may be. The root of a
///   file system allows any absolute path
/// @param folder the directory of the store; empty if it has none
/// @param sessions the orchestrations of the engine; empty if it runs none
/// @param streamsMax how many event streams may be open
public record Site(
    Map<String, String> about,
    Supplier<List<ClusterProvider.NodeView>> nodes,
    Supplier<List<String>> missing,
    Supplier<List<String>> held,
    Optional<Path> backups,
    Optional<Path> folder,
    Optional<Sessions> sessions,
    int streamsMax) {
  public Site {
    about = Map.copyOf(about);
  }

  /// Returns an engine without a cluster and without a directory.
  public static Site of(String version) {
    return new Site(
        Map.of("version", version, "store", "memory"),
        List::of,
        List::of,
        List::of,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        3_000);
  }

  /// Returns this site with the description of its store.
  public Site withStore(String shown) {
    Map<String, String> longer = new java.util.TreeMap<>(about);
    longer.put("store", shown);
    return new Site(longer, nodes, missing, held, backups, folder, sessions, streamsMax);
  }

  /// Returns this site with a directory of its store.
  public Site withFolder(Path value) {
    return new Site(about, nodes, missing, held, backups, Optional.of(value), sessions, streamsMax);
  }

  /// Returns this site with a directory for backups.
  public Site withBackups(Path value) {
    return new Site(about, nodes, missing, held, Optional.of(value), folder, sessions, streamsMax);
  }

  /// Returns this site with a cluster.
  public Site withNodes(Supplier<List<ClusterProvider.NodeView>> value) {
    return new Site(about, value, missing, held, backups, folder, sessions, streamsMax);
  }

  /// Returns this site with the programs that nodes of a cluster lack.
  public Site withMissing(Supplier<List<String>> value) {
    return new Site(about, nodes, value, held, backups, folder, sessions, streamsMax);
  }

  /// Returns this site with the messages that a cluster cannot apply yet.
  public Site withHeld(Supplier<List<String>> value) {
    return new Site(about, nodes, missing, value, backups, folder, sessions, streamsMax);
  }

  /// Returns this site with another limit of streams.
  public Site withStreamsMax(int value) {
    return new Site(about, nodes, missing, held, backups, folder, sessions, value);
  }

  /// Returns this site with the orchestrations of the engine.
  public Site withSessions(Sessions value) {
    return new Site(about, nodes, missing, held, backups, folder, Optional.of(value), streamsMax);
  }
}
