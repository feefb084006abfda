package dev.damask.store.postgres;

import dev.damask.database.VirtualDatabase;
import dev.damask.database.VirtualDatabase.Row;
import dev.damask.simulation.InvariantViolation;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// What must hold after every commit of the database.
final class NodesInvariants {
  private static final String SCHEMA = "damask.";

  private final VirtualDatabase database;
  private final Consumer<InvariantViolation> violated;
  private final Predicate<String> isWell;
  private final Map<String, Long> revisions = new HashMap<>();
  private final Map<String, Long> epochs = new HashMap<>();
  private final Map<String, Long> seen = new HashMap<>(); // revisions that a client has read

  /// @param isWell whether the process at an address was not disturbed for a while
  NodesInvariants(
      VirtualDatabase database, Consumer<InvariantViolation> violated, Predicate<String> isWell) {
    this.database = database;
    this.isWell = isWell;
    this.violated = violated;
    database.watch(SCHEMA + "cases", SCHEMA + "inbox", SCHEMA + "node");
    database.onCommit(this::committed);
  }

  private void fail(String invariant, String what) {
    violated.accept(new InvariantViolation(invariant, what));
  }

  private void committed(List<Row> rows) {
    Set<String> latest = new HashSet<>();
    for (Row row : rows.reversed()) {
      if (row.isRemoved()) {
        removed(row);
        continue;
      }
      switch (row.table()) {
        case SCHEMA + "cases" -> {
          if (latest.add(row.text("case_id"))) {
            changed(row);
          }
        }
        case SCHEMA + "node" -> {
          if (latest.add("node " + row.number("id"))) {
            epoch("node " + row.number("id"), row.number("epoch"));
            fenced(row);
          }
        }
        default -> {}
      }
    }
  }

  /// A message may leave the inbox only with the transaction that answers it.
  private void removed(Row row) {
    if (!row.table().equals(SCHEMA + "inbox")) {
      return;
    }
    String messageId = row.text("message_id");
    boolean isAnswered =
        database.rows(SCHEMA + "replies", "message_id", messageId).stream()
            .anyMatch(reply -> reply.text("case_id").equals(row.text("case_id")));
    if (!isAnswered) {
      fail("N2", "message %s is removed without an answer".formatted(messageId));
    }
  }

  /// A node that works is not fenced.
  private void fenced(Row row) {
    String address = row.text("address");
    boolean isAlone =
        database.rows(SCHEMA + "node", "address", address).stream()
            .noneMatch(other -> !other.flag("fenced"));
    if (row.flag("fenced") && isAlone && isWell.test(address)) {
      fail("N5", "node %d on %s is fenced and was well".formatted(row.number("id"), address));
    }
  }

  /// A case has a new revision: its writer must own it at this very moment.
  private void changed(Row row) {
    String caseId = row.text("case_id");
    long revision = row.number("revision");
    Long before = revisions.put(caseId, revision);
    if (before != null && revision <= before) {
      fail("I2", "case %s: revision %d after %d".formatted(caseId, revision, before));
    }
    epoch("case " + caseId, row.number("epoch"));
    long writer = row.number("commit_node");
    List<Row> slots = database.rows(SCHEMA + "slot", "slot", row.number("slot"));
    long owner = slots.getFirst().number("owner");
    boolean isFenced =
        database.rows(SCHEMA + "node", "id", writer).stream().noneMatch(n -> !n.flag("fenced"));
    if (owner != writer || isFenced) {
      fail(
          "I9",
          "case %s: node %d%s commits, node %d owns slot %d"
              .formatted(caseId, writer, isFenced ? " (fenced)" : "", owner, row.number("slot")));
    }
  }

  private void epoch(String of, long epoch) {
    Long before = epochs.put(of, epoch);
    if (before != null && epoch < before) {
      fail("I9", "%s: epoch %d after %d".formatted(of, epoch, before));
    }
  }

  /// The server has lost what its standby had not.
  void failedOver() {
    revisions.clear();
    epochs.clear();
  }

  /// A client has read a revision; no client may read an earlier one later.
  void read(String caseId, long revision, long sinceRead) {
    if (revision < sinceRead) {
      fail("G2", "case %s: read revision %d after %d".formatted(caseId, revision, sinceRead));
    }
    seen.merge(caseId, revision, Math::max);
  }

  /// Returns the latest revision that a client has read.
  long seen(String caseId) {
    return seen.getOrDefault(caseId, 0L);
  }

  /// Returns why not every slot has a living owner; empty if each has one.
  String orphans(Set<String> living) {
    Map<Long, Boolean> owners = new HashMap<>();
    for (Row row : database.rows(SCHEMA + "slot")) {
      long owner = row.number("owner");
      boolean isLiving =
          owners.computeIfAbsent(
              owner,
              id ->
                  database.rows(SCHEMA + "node", "id", id).stream()
                      .anyMatch(n -> !n.flag("fenced") && living.contains(n.text("address"))));
      if (!isLiving) {
        return "slot %d has owner %d".formatted(row.number("slot"), owner);
      }
    }
    return "";
  }

  /// Describes the stored record of a case.
  String stored(String caseId) {
    return database.rows(SCHEMA + "cases", "case_id", caseId).stream()
        .map(
            row -> "status %d, revision %d".formatted(row.number("status"), row.number("revision")))
        .findFirst()
        .orElse("nothing");
  }

  /// Returns the messages that wait.
  List<String> inbox() {
    return database.rows(SCHEMA + "inbox").stream()
        .map(row ->
            row.text("case_id")
                + " "
                + row.text("message_id")
                + " "
                + row.text("kind")
                + " "
                + row.text("held"))
        .toList();
  }
}
