package dev.damask.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.EngineOptions;
import dev.damask.cli.command.Exit;
import dev.damask.history.CaseObserver;
import dev.damask.session.SessionKey;
import dev.damask.session.SessionOptions;
import dev.damask.session.SessionStart;
import dev.damask.session.SessionView;
import dev.damask.session.Sessions;
import dev.damask.store.CaseStatus;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// How far a run follows a session.
final class GraphRunTest {
  /// Lets the machine run once and breaks it then.
  private static final class Breaker implements CaseObserver {
    private boolean hasRun;

    @Override
    public void ran(String caseId, int quantum) {
      if (SessionKey.isSession(caseId) && hasRun) {
        throw new IllegalStateException("broken");
      }
      hasRun |= SessionKey.isSession(caseId);
    }
  }

  @Test
  @Timeout(value = 30, unit = TimeUnit.SECONDS)
  void it_does_not_wait_for_the_timer_of_a_session_that_was_put_aside() throws Exception {
    EngineOptions engine = EngineOptions.defaults().withShards(1).withWatch(new Breaker());
    try (Sessions sessions = Sessions.open(SessionOptions.defaults().withEngine(engine))) {
      sessions.registry().putRule("eve", "arm", "{\"payload\": {}, \"onValid\": {\"waitSec\": 1}}");
      sessions.registry().putRule("eve", "pass", "{\"payload\": {}}");
      sessions
          .registry()
          .putGraph(
              "eve",
              "{\"id\": \"g\", \"structure\": {\"A\": {\"rule\": \"arm\", \"onValid\": {\"spawns\":"
                  + " [\"B\"]}}, \"B\": {\"rule\": \"pass\"}}}");
      SessionKey key = sessions.start(SessionStart.of("eve", "g", "A", Map.of()));

      SessionView view = GraphRun.follow(sessions, key, Duration.ofMinutes(1));

      assertThat(view.status()).isEqualTo(CaseStatus.QUARANTINED);
      assertThat(GraphRun.exit(view.status())).isEqualTo(Exit.WAITING);
    }
  }
}
