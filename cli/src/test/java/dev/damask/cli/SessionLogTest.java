package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Every field of a session, of its processes and of its log, as the commands print them.
final class SessionLogTest {
  @TempDir Path folder;

  @Test
  void the_commands_print_every_field_and_agree_with_each_other() throws Exception {
    String store = folder.resolve("store").toString();
    Instant before = Instant.now();
    OrderSession.start(store);

    Map<Object, Object> shown =
        one(damask("session", "1", "--json", "--store", store, "--owner", "eve"));
    Map<Object, Object> listed =
        one(damask("sessions", "--json", "--store", store, "--owner", "eve"));
    Shell log = damask("session", "1", "--log", "--store", store, "--owner", "eve");

    Map<?, ?> line = log.json().getFirst();
    Map<?, ?> head = first(listed, "sessions");
    Map<?, ?> process = first(shown, "processes");
    String hash = String.valueOf(line.get("ostcHash"));
    String time = String.valueOf(line.get("time"));
    String ruleHash = String.valueOf(line.get("ruleHash"));
    assertThat(hash).matches("[0-9a-f]{64}").isNotEqualTo(ruleHash);
    assertThat(ruleHash).matches("[0-9a-f]{64}");
    assertThat(Instant.parse(time)).isBetween(before.minusMillis(1), Instant.now());
    assertThat(line)
        .hasToString(
            "{owner=eve, sessionId=1, pid=1:1, iteration=1, stepId=Request, outcome=valid,"
                + " valid=true, ostcId=order-approval, ostcHash=%s, time=%s, cost=23400,"
                    .formatted(hash, time)
                + " payload={amount=120, order=o-1}, rule=request, ruleHash=%s}"
                    .formatted(ruleHash));
    assertThat(head)
        .hasToString(
            "{owner=eve, sessionId=1, ostcId=order-approval, ostcHash=%s, status=waiting,"
                    .formatted(hash)
                + " started=%s, updated=%s}".formatted(head.get("started"), head.get("updated")));
    assertThat(String.valueOf(head.get("started"))).isLessThanOrEqualTo(time);
    assertThat(String.valueOf(head.get("updated"))).isGreaterThanOrEqualTo(time);
    assertThat(process)
        .hasToString(
            "{pid=1:1, parentPid=null, iterationStep=1, step=Request, status=done, valid=true,"
                + " updated=%s, nextWakeAt=null, killedAt=null, joinGroupId=0,"
                    .formatted(process.get("updated"))
                + " joinFromGroupId=0, expected=[], delivered=[], joinFail={}, reason=}");
    assertThat(shown)
        .containsAllEntriesOf(new HashMap<Object, Object>(head))
        .containsEntry("cost", line.get("cost"));
    assertThat(shown.keySet().stream().map(String::valueOf).skip(head.size()))
        .containsExactly(
            "paused",
            "failure",
            "cancellation",
            "missingSecrets",
            "cost",
            "result",
            "processes",
            "processesMade",
            "wakeUps");
  }

  private static Map<?, ?> first(Map<Object, Object> all, String name) {
    return (Map<?, ?>) ((List<?>) Objects.requireNonNull(all.get(name))).getFirst();
  }

  private static Map<Object, Object> one(Shell shell) {
    assertThat(shell.exit()).as(shell.err()).isZero();
    return new LinkedHashMap<>(shell.json().getFirst());
  }
}
