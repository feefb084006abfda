package dev.damask.ops;

import dev.damask.store.StoreException;
import dev.damask.store.TableRow;
import dev.damask.value.Decoder;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Reads rows of the store's table for a service that must not stop at a corrupt one. A corrupt row
/// is reported once and left where it is; the service continues with the next row.
///
/// Thread-safe.
public final class CorruptRows {
  private final Set<String> reported = ConcurrentHashMap.newKeySet();

  /// Returns the content of a row; null if the row is corrupt.
  public <T> @Nullable T read(TableRow row, Function<TableRow, T> decode) {
    String name = row.kind() + " '" + row.key() + "'";
    try {
      T content = decode.apply(row);
      if (!reported.isEmpty()) {
        reported.remove(name);
      }
      return content;
    } catch (StoreException | Decoder.DamagedBytes e) {
      if (reported.add(name)) {
        System.getLogger(CorruptRows.class.getName())
            .log(
                System.Logger.Level.ERROR,
                "a row of the store is corrupt and is left out: " + name,
                e);
      }
      return null;
    }
  }
}
