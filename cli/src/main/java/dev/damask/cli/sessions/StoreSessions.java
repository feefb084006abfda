package dev.damask.cli.sessions;

import dev.damask.api.SessionSummary;
import dev.damask.cases.EngineOptions;
import dev.damask.cli.command.OwnerView;
import dev.damask.cli.command.Refusal;
import dev.damask.registry.RegistryEntry;
import dev.damask.session.LogLine;
import dev.damask.session.SessionKey;
import dev.damask.session.SessionOptions;
import dev.damask.session.Sessions;
import dev.damask.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The sessions of a store that the command has opened.
record StoreSessions(Sessions sessions, String owner) implements SessionBook {
  static StoreSessions open(Store store, String owner) {
    EngineOptions options = EngineOptions.defaults().withOwnerService(false);
    return new StoreSessions(
        refused(() -> Sessions.open(SessionOptions.defaults().withEngine(options), store)), owner);
  }

  private static <T> T refused(Supplier<T> action) {
    try {
      return action.get();
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new Refusal(String.valueOf(e.getMessage()));
    }
  }

  private SessionKey key(long session) {
    return SessionKey.of(owner, session);
  }

  @Override
  public List<Map<String, @Nullable Object>> sessions(int most) {
    return refused(() -> {
      List<Map<String, @Nullable Object>> all = new ArrayList<>();
      sessions
          .list(owner, most)
          .forEach(each -> all.add(OwnerView.plain(SessionSummary.head(sessions.view(each, 0)))));
      return all;
    });
  }

  @Override
  public List<Map<String, @Nullable Object>> processes(long session, long parent, int most) {
    return refused(() -> {
      List<Map<String, @Nullable Object>> all = new ArrayList<>();
      sessions
          .queries()
          .processes(owner, session, parent, most)
          .forEach(each -> all.add(OwnerView.plain(SessionSummary.of(each))));
      return all;
    });
  }

  @Override
  public List<Map<String, @Nullable Object>> targets(int most) {
    return refused(() -> {
      List<Map<String, @Nullable Object>> all = new ArrayList<>();
      sessions
          .queries()
          .wakeTargets(owner, most)
          .forEach(each -> all.add(OwnerView.plain(SessionSummary.of(each))));
      return all;
    });
  }

  @Override
  public Map<String, @Nullable Object> view(long session) {
    return refused(() -> OwnerView.plain(SessionSummary.of(sessions.view(key(session)))));
  }

  @Override
  public List<String> log(long session, @Nullable String step) {
    return refused(() ->
        sessions.log(key(session), line -> step == null || line.step().equals(step)).stream()
            .map(LogLine::json)
            .toList());
  }

  @Override
  public long kill(long session) {
    return refused(() -> (long) sessions.kill(owner, key(session)));
  }

  @Override
  public void pause(long session) {
    var _ =
        refused(() -> {
          sessions.pause(owner, key(session));
          return true;
        });
  }

  @Override
  public void resume(long session) {
    var _ =
        refused(() -> {
          sessions.resume(owner, key(session));
          return true;
        });
  }

  @Override
  public long wake(long session, Wake wake) {
    String step = wake.step();
    return refused(() -> {
      if (step != null) {
        return (long) sessions.wakeStep(wake.caller(), key(session), step, wake.payload());
      }
      return sessions.wakeProcess(wake.caller(), key(session), wake.process(), wake.payload())
          ? 1L
          : 0L;
    });
  }

  private static Entry entry(RegistryEntry entry) {
    return new Entry(entry.key(), entry.version(), entry.hash(), entry.owner());
  }

  @Override
  public List<Entry> entries(RegistryEntry.Kind kind) {
    return refused(
        () -> sessions.registry().list(kind).stream().map(StoreSessions::entry).toList());
  }

  @Override
  public Entry putGraph(String text) {
    return refused(() -> entry(sessions.registry().putGraph(owner, text)));
  }

  @Override
  public Entry putRule(String key, String text) {
    return refused(() -> entry(sessions.registry().putRule(owner, key, text)));
  }

  @Override
  public void close() {
    sessions.close();
  }
}
