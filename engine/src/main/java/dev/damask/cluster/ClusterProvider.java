package dev.damask.cluster;

import dev.damask.store.Store;
import dev.damask.store.StoreException;
import java.util.List;

/// Opens and administers clusters that a URL names; found through `ServiceLoader`. Every method
/// throws [StoreException] if the server cannot be used.
public interface ClusterProvider {
  /// Returns whether a string is a URL of this provider and not a directory.
  boolean accepts(String url);

  /// Returns the URL without user and password.
  String shown(String url);

  /// Opens the store as a client that owns nothing.
  SharedStore client(String url);

  /// Joins as a node if no other node is alive, and opens the store as a client otherwise.
  SharedStore nodeIfAlone(String url);

  /// Opens the store alone, for a copy. Throws a `StoreException` while a node is alive.
  Store alone(String url);

  /// Creates the tables. Returns false if they exist.
  boolean init(String url);

  /// Brings the tables to this version's schema. Returns false if there was nothing to do.
  boolean upgrade(String url);

  /// Lets nodes write this version's formats and locks older versions out.
  void finish(String url);

  /// Tests the server for what a cluster needs. Returns one finding per guarantee.
  List<Finding> doctor(String url);

  /// Returns the nodes, in the order of their ids.
  List<NodeView> nodes(String url);

  /// Returns one sentence for each node and program that it lacks although its cases wait for it.
  List<String> missing(String url);

  /// Returns the messages that their owners cannot apply yet, with the reason.
  List<String> held(String url);

  /// The result of one check of a server.
  ///
  /// @param problem empty if the server passed
  record Finding(String check, String problem) {}

  /// A node as the database knows it.
  ///
  /// @param heartbeat the node's counter; -1 if it is fenced
  /// @param slots how many slots it owns
  /// @param inbox how many messages wait for it
  record NodeView(
      int id,
      long epoch,
      long heartbeat,
      long slots,
      long inbox,
      boolean isFenced,
      String address) {}
}
