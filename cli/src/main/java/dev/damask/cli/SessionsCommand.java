package dev.damask.cli;

import dev.damask.orchestration.SessionKey;
import dev.damask.orchestration.SessionView;
import dev.damask.orchestration.WakeTarget;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Lists the sessions of an owner, the latest first.
@Command(
    name = "sessions",
    description = "Lists the sessions of an owner, the latest first.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:done", "2:there is no such session, or it is not yours"})
final class SessionsCommand implements Callable<Integer> {
  private final Streams streams;

  @Mixin private StoreOptions store = new StoreOptions();

  @Option(names = "--last", paramLabel = "N", description = "How many at most.")
  private int last = 100;

  @Option(
      names = "--wakeable",
      description = {
        "Lists instead what waits and may be woken, by the owner or by whom the sessions of",
        "others allow it, with the inputs that are missing."
      })
  private boolean wakeable;

  SessionsCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    return store.with(sessions -> {
      if (wakeable) {
        sessions.queries().wakeTargets(store.owner(), last).forEach(this::print);
        return Exit.OK;
      }
      for (SessionKey key : sessions.list(store.owner(), last)) {
        SessionView view = sessions.view(key);
        String status = view.status().name().toLowerCase(Locale.ROOT);
        streams.out().println(key.number() + " " + view.graph() + " " + status);
      }
      return Exit.OK;
    });
  }

  private void print(WakeTarget target) {
    String missing =
        String.join(
            ",",
            target.fields().stream()
                .filter(WakeTarget.Field::isMissing)
                .map(field -> field.name() + ":" + field.type())
                .toList());
    streams
        .out()
        .println(
            "%s %d:%d %s%s%s"
                .formatted(
                    target.session().owner(),
                    target.session().number(),
                    target.iteration(),
                    target.step(),
                    target.nextWakeAt().isPresent()
                        ? " until " + Instant.ofEpochMilli(target.nextWakeAt().getAsLong())
                        : "",
                    missing.isEmpty() ? "" : " needs " + missing));
  }
}
