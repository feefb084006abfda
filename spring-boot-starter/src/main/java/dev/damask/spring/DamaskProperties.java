package dev.damask.spring;

import dev.damask.cases.EngineOptions;
import dev.damask.history.HistoryPolicy;
import dev.damask.history.JournalMode;
import dev.damask.trace.TraceLevel;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/// The properties `damask.*` of an application. What is not set keeps the engine's default.
///
/// @param enabled false for an application without an engine
/// @param store the directory of the store, `datasource` for the PostgreSQL database of the
///   application's `DataSource`, or `memory` for an engine whose cases end with the process; unused
///   if the application has a bean of type `Store` or `StoreCluster`
/// @param shards the number of threads that move cases
/// @param grace how long closing waits for handlers that run
/// @param retention how long ended cases are kept; zero keeps them
/// @param trace what is kept of the steps of a case
/// @param callsMax how many calls of one effect type may run at once
/// @param timeLimit how long one attempt of an effect may take
/// @param journal what is kept of the inputs of a case
/// @param history which revisions of a case are kept
@ConfigurationProperties("damask")
public record DamaskProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue("damask-store") String store,
    @Nullable Integer shards,
    @Nullable Duration grace,
    @Nullable Duration retention,
    @Nullable TraceLevel trace,
    @Nullable Integer callsMax,
    @Nullable Duration timeLimit,
    @Nullable JournalMode journal,
    @Nullable History history) {
  /// Which revisions of a case are kept.
  public enum Kept {
    /// All, up to the bounds.
    ALL,
    /// Those that the last state is read from.
    LAST
  }

  /// The properties `damask.history.*`.
  ///
  /// @param keep which revisions are kept; all up to the bounds by default
  /// @param revisionsMax how many revisions of a case are kept
  /// @param bytesMax how large the kept revisions of a case may be with their values
  public record History(
      @Nullable Kept keep, @Nullable Long revisionsMax, @Nullable DataSize bytesMax) {
    /// Returns the policy. Throws `IllegalStateException` if a bound is wrong or has no effect.
    HistoryPolicy policy() {
      long revisions = revisionsMax == null ? HistoryPolicy.ALL.revisionsMax() : revisionsMax;
      long bytes = bytesMax == null ? HistoryPolicy.ALL.bytesMax() : bytesMax.toBytes();
      require("revisions-max", revisionsMax, revisions);
      require("bytes-max", bytesMax, bytes);
      return keep == Kept.LAST
          ? HistoryPolicy.LAST
          : HistoryPolicy.ALL.withRevisionsMax(revisions).withBytesMax(bytes);
    }

    private void require(String name, @Nullable Object given, long value) {
      if (given != null && keep == Kept.LAST) {
        throw new IllegalStateException(
            "damask.history.%s has no effect with damask.history.keep=last; remove one of them"
                .formatted(name));
      }
      if (value < 1) {
        throw new IllegalStateException(
            "damask.history.%s must be positive, got %s".formatted(name, given));
      }
    }
  }

  static final String DATASOURCE = "datasource";
  private static final String MEMORY = "memory";

  /// Returns whether the cases end with the process.
  public boolean isInMemory() {
    return store.equals(MEMORY);
  }

  /// Returns the directory of the store. Throws `IllegalStateException` if it is not a directory.
  public Path directory() {
    if (store.equals(DATASOURCE)) {
      throw new IllegalStateException(
          "damask.store: '%s' needs PostgreSQL; add damask-store-postgres to the application"
              .formatted(store));
    }
    if (store.isBlank() || store.contains("://")) {
      throw new IllegalStateException(
          "damask.store: '%s' is not a directory; name a directory, '%s' or '%s', or declare a bean"
                  .formatted(store, DATASOURCE, MEMORY)
              + " of type Store");
    }
    return Path.of(store);
  }

  /// Returns options with the values that are set here.
  EngineOptions apply(EngineOptions options) {
    EngineOptions made = options;
    made = shards == null ? made : made.withShards(shards);
    made = grace == null ? made : made.withGrace(grace);
    made = retention == null ? made : made.withRetention(retention);
    made = trace == null ? made : made.withTrace(trace);
    made = callsMax == null ? made : made.withCallsMax(callsMax);
    made = journal == null ? made : made.withJournal(journal);
    made = history == null ? made : made.withHistory(history.policy());
    return timeLimit == null ? made : made.withTimeLimit(timeLimit);
  }
}
