package dev.damask.store;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeSet;

/// The rows of a store's table with the attributes by which its cases are indexed. The key of a row
/// is the hash of a program, its value the declaration of the program's attributes.
public final class AttributeRows {
  /// The kind of the rows.
  public static final String KIND = "attributes";

  /// The key of the row which states that cases of programs without a row have no attributes, and
  /// are indexed by what they wait for.
  public static final String ALL = "*";

  /// The declaration of a program whose cases have to be indexed again.
  public static final String UNKNOWN = "?";

  private static final int ROWS_MAX = 10_000;

  private AttributeRows() {}

  /// Returns the declaration in a row.
  public static String declaration(TableRow row) {
    return new String(row.value().toArray(), StandardCharsets.UTF_8);
  }

  /// Returns the workflows whose cases have to be indexed by an engine that knows them.
  public static List<String> incomplete(Store store) {
    TreeSet<String> names = new TreeSet<>();
    for (TableRow row : store.table().rows(KIND, null, ROWS_MAX)) {
      if (declaration(row).equals(UNKNOWN)) {
        names.add(
            store.programs().stream()
                .filter(each -> each.hash().toString().equals(row.key()))
                .map(each -> "workflow " + each.name() + ", program " + row.key())
                .findFirst()
                .orElse("program " + row.key()));
      }
    }
    return List.copyOf(names);
  }

  /// Returns one sentence for each workflow whose cases a query may miss.
  public static List<String> notIndexed(Store store, CaseQuery query) {
    if (query.conditions().isEmpty()) {
      return List.of();
    }
    if (!isConverted(store)) {
      return List.of("cases of an older version are not indexed; open an engine to index them");
    }
    return incomplete(store).stream()
        .map(each -> "cases of " + each + " are not indexed; open an engine with it to index them")
        .toList();
  }

  /// Returns whether cases of older versions have been indexed.
  public static boolean isConverted(Store store) {
    return store.table().latest(KIND, ALL).isPresent();
  }
}
