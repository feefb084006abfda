package dev.damask.ops;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The listeners to new revisions of an engine's cases.
public final class CaseListeners {
  /// Ends a subscription.
  @FunctionalInterface
  public interface Subscription extends AutoCloseable {
    @Override
    void close();
  }

  /// @param caseId null for every case
  private record Entry(@Nullable String caseId, Consumer<CaseEvent> listener) {}

  private final List<Entry> entries = new CopyOnWriteArrayList<>(); // changed by any thread

  /// Adds a listener.
  ///
  /// @param caseId null for every case
  public Subscription add(@Nullable String caseId, Consumer<CaseEvent> listener) {
    Entry entry = new Entry(caseId, listener);
    entries.add(entry);
    return () -> entries.removeIf(each -> each == entry);
  }

  /// Notifies the listeners of a durable revision. What a listener throws is logged.
  public void committed(CaseEvent event) {
    for (Entry entry : entries) {
      if (entry.caseId == null || entry.caseId.equals(event.caseId())) {
        try {
          entry.listener.accept(event);
        } catch (OutOfMemoryError e) { // the engine stops
          throw e;
        } catch (Throwable e) { // the user's; the revision is durable all the same
          System.getLogger(CaseListeners.class.getName())
              .log(
                  System.Logger.Level.WARNING,
                  "a listener of case " + event.caseId() + " failed",
                  e);
        }
      }
    }
  }
}
