package dev.damask.ops;

import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CommitBatch;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.TableRow;
import dev.damask.value.Bytes;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;

/// The signatures of handlers, scripts and children that cases were started with, and the parts of
/// the types that their data has, by program. A row has the signatures and the time at which an
/// engine was first opened with them; a change adds the next version.
public final class SignatureRows {
  /// The kind of the rows.
  public static final String KIND = "signature";

  private static final String MISSING = "missing";
  private static final String OPTIONAL = "?";

  /// How many versions are compared with the current one.
  private static final int VERSIONS_MAX = 16;

  private SignatureRows() {}

  private record Counted(long cases, String example) {}

  private static final Counted NO_CASES = new Counted(0, "");

  /// Stores the signatures of a program if they are new, and returns those that have changed while
  /// cases wait that were started before.
  public static List<SignatureChange> update(Store store, Program program, long now) {
    Map<String, String> current = signatures(program);
    if (current.isEmpty()) {
      return List.of();
    }
    String key = program.hash().toString();
    List<TableRow> rows = new ArrayList<>(store.table().versions(KIND, key, VERSIONS_MAX));
    if (rows.isEmpty() || !read(rows.getFirst()).equals(current)) {
      long version = rows.isEmpty() ? 1 : rows.getFirst().version() + 1;
      TableRow row = new TableRow(KIND, key, version, write(current, now));
      put(store, row);
      rows.addFirst(row);
    }
    Map<String, SignatureChange> changes = new TreeMap<>();
    for (int i = 1; i < rows.size(); i++) {
      long until = since(rows.get(i - 1));
      Map<String, String> changed = changed(read(rows.get(i)), current);
      changed.keySet().removeAll(changes.keySet());
      Counted counted = changed.isEmpty() ? NO_CASES : count(store, program, until);
      if (counted.cases > 0) {
        changed.forEach((part, before) -> {
          String after = current.getOrDefault(part, MISSING);
          changes.put(part, change(program, part, before, after, counted));
        });
      }
    }
    return List.copyOf(changes.values());
  }

  private static SignatureChange change(
      Program program, String part, String before, String after, Counted counted) {
    return new SignatureChange(
        program.name(), program.hash(), part, before, after, counted.cases, counted.example);
  }

  /// The old signatures that data of the old types may not fit any more. A part of a record that
  /// was added is one if it has no default; a part that was removed only if it is an alternative,
  /// such as a constant of an enum.
  private static Map<String, String> changed(
      Map<String, String> before, Map<String, String> current) {
    Map<String, String> changed = new TreeMap<>();
    current.forEach((part, signature) -> {
      String old = before.getOrDefault(part, MISSING);
      boolean isNewPart = old.equals(MISSING) && isRecordPart(part, before);
      boolean isOther = !old.equals(MISSING) && !plain(old).equals(plain(signature));
      if (isOther || (isNewPart && !signature.endsWith(OPTIONAL))) {
        changed.put(part, old);
      }
    });
    before.forEach((part, signature) -> {
      boolean isAlternative = part.startsWith("enum ") || part.startsWith("sealed ");
      if (isAlternative && !current.containsKey(part) && current.containsKey(owner(part))) {
        changed.put(part, signature);
      }
    });
    return changed;
  }

  private static boolean isRecordPart(String part, Map<String, String> before) {
    return part.startsWith("record ") && before.containsKey(owner(part));
  }

  private static String owner(String part) {
    int dot = part.lastIndexOf('.');
    return dot < 0 ? part : part.substring(0, dot);
  }

  private static String plain(String signature) {
    return signature.endsWith(OPTIONAL)
        ? signature.substring(0, signature.length() - OPTIONAL.length())
        : signature;
  }

  private static void put(Store store, TableRow row) {
    commit(store, CommitBatch.ofRows(List.of(new RowChange.Put(row))));
  }

  /// Commits a batch and waits until it is durable.
  static void commit(Store store, CommitBatch batch) {
    try {
      store.commit(batch).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  private static Counted count(Store store, Program program, long before) {
    Counted counted = NO_CASES;
    for (CaseStatus status : CaseStatus.values()) {
      if (status.isEnded() || status == CaseStatus.CORRUPT) {
        continue;
      }
      CaseQuery query =
          CaseQuery.ALL
              .withWorkflow(program.name())
              .withStatus(status)
              .withStarted(Long.MIN_VALUE, before);
      String cursor = "";
      do {
        CasePage page = store.list(query.withPage(cursor, CaseQuery.LIMIT_MAX));
        for (CaseRecord each : page.cases()) {
          if (each.program().equals(program.hash())) {
            counted = new Counted(counted.cases + 1, each.caseId());
          }
        }
        cursor = page.next();
      } while (!cursor.isEmpty());
    }
    return counted;
  }

  private static Map<String, String> signatures(Program program) {
    Map<String, String> signatures = new TreeMap<>(program.declared().signatures());
    for (Pool.Task task : program.pools().tasks()) {
      if (task.template() != null && !task.template().signature().isEmpty()) {
        signatures.put(task.name(), task.template().signature());
      }
    }
    return signatures;
  }

  private static Bytes write(Map<String, String> signatures, long now) {
    Encoder out = new Encoder();
    out.whole(now);
    out.natural(signatures.size());
    signatures.forEach((task, signature) -> {
      out.text(task);
      out.text(signature);
    });
    return Bytes.of(out.toBytes());
  }

  private static long since(TableRow row) {
    return new Decoder(row.value().toArray()).whole();
  }

  private static Map<String, String> read(TableRow row) {
    Decoder in = new Decoder(row.value().toArray());
    in.whole();
    Map<String, String> signatures = new TreeMap<>();
    for (int left = in.count(); left > 0; left--) {
      signatures.put(in.text(), in.text());
    }
    return signatures;
  }
}
