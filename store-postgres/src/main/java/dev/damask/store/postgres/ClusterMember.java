package dev.damask.store.postgres;

import dev.damask.nursery.ChildOptions;
import dev.damask.nursery.Nursery;
import dev.damask.nursery.ThreadKind;
import dev.damask.sql.SqlText;
import java.sql.SQLException;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;

/// One life of a node, from joining to leaving or to the fence: its row, its writer and its reads.
/// A node that was fenced begins another one with a new id.
final class ClusterMember {
  final PostgresNode node;
  final PostgresReads reads;
  final CommitQueue commits;
  final JoinedCommits joined;
  final InboxHints hints;
  final PostgresInbox inbox;

  /// Joins the cluster. The caller polls from now on.
  ///
  /// @param isOpen whether the store is open: then reads wait while the database is away
  ClusterMember(
      DataSource source, PostgresOptions options, Nursery nursery, BooleanSupplier isOpen) {
    SqlText sql = new SqlText(options.schema());
    this.node = PostgresNode.join(source, options);
    this.reads = new PostgresReads(node.connections(), sql).ofNode(node, isOpen);
    this.commits = new CommitQueue(node, sql, true);
    this.joined = new JoinedCommits(node, commits, sql);
    this.inbox = new PostgresInbox(sql, node.lockClass());
    this.hints = new InboxHints(node.connections(), inbox.channel());
    reserve(options);
    nursery.launch(
        ChildOptions.named("store-writer-" + node.id()).withThread(ThreadKind.PLATFORM),
        _ -> {
          while (commits.writeNext()) {
            // until the last entry
          }
        });
  }

  /// Takes the connections that this life of the node keeps until its end.
  private void reserve(PostgresOptions options) {
    try {
      hints.listen();
      commits.reserve();
    } catch (SQLException e) {
      hints.close();
      leave(e);
      node.close();
      throw PostgresErrors.failure(
          "schema " + options.schema() + ": cannot take the connections of a node", e);
    }
  }

  private void leave(SQLException why) {
    try {
      node.leave();
    } catch (SQLException e) {
      why.addSuppressed(e); // the others take over after its lease
    }
  }
}
