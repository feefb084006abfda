package dev.damask.cli.sessions;

import dev.damask.cli.command.CaseWords;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.Streams;
import dev.damask.json.JsonWriter;
import dev.damask.session.ListedProcess;
import dev.damask.session.SessionView;
import dev.damask.session.WakeTarget;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Lists the sessions of an owner, newest first.
@Command(
    name = "sessions",
    description = "Lists the sessions of an owner, newest first.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:done", "2:no such session, or it belongs to another owner"})
public final class SessionsCommand implements Callable<Integer> {
  private final Streams streams;

  @Mixin private StoreOptions store = new StoreOptions();

  @Option(names = "--last", paramLabel = "N", description = "The maximum number of entries.")
  private int last = 100;

  @Option(
      names = "--processes",
      description = "Lists the processes of the sessions instead, latest change first.")
  private boolean processes;

  @Option(
      names = "--session",
      paramLabel = "SESSION",
      description = "Only the processes of this session.")
  private long session;

  @Option(
      names = "--parent",
      paramLabel = "N",
      description = "Only the processes that process N of the session has spawned.")
  private long parent;

  @Option(
      names = "--wakeable",
      description =
          "Lists the waiting processes that the owner may wake instead, also in other owners' "
              + "sessions that allow it, with their missing inputs.")
  private boolean wakeable;

  @Option(names = "--json", description = "Prints one JSON object.")
  private boolean json;

  public SessionsCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    if (last < 1) {
      throw new Refusal("--last must be at least 1, got " + last);
    }
    if (!processes && (session != 0 || parent != 0)) {
      throw new Refusal("--session and --parent require --processes");
    }
    if (parent != 0 && session == 0) {
      throw new Refusal("--parent requires --session");
    }
    if (processes && wakeable) {
      throw new Refusal("--processes and --wakeable exclude each other");
    }
    return store.with(sessions -> {
      if (wakeable) {
        List<WakeTarget> targets = sessions.queries().wakeTargets(store.owner(), last);
        print("targets", targets, SessionsCommand::line, SessionsCommand::object);
      } else if (processes) {
        List<ListedProcess> found =
            sessions.queries().processes(store.owner(), session, parent, last);
        print("processes", found, SessionsCommand::line, SessionsCommand::object);
      } else {
        List<SessionView> found =
            sessions.list(store.owner(), last).stream().map(sessions::view).toList();
        print("sessions", found, SessionsCommand::line, SessionReport::head);
      }
      return Exit.OK;
    });
  }

  private <T> void print(
      String name,
      List<T> found,
      Function<T, String> line,
      Function<T, Map<String, @Nullable Object>> object) {
    if (json) {
      streams
          .out()
          .println(JsonWriter.line(JsonWriter.object(name, found.stream().map(object).toList())));
    } else {
      found.stream().map(line).forEach(streams.out()::println);
    }
  }

  private static String line(SessionView view) {
    return "%d %s %s at %s"
        .formatted(
            view.key().number(),
            view.graph(),
            SessionReport.word(view.status()),
            CaseWords.time(view.updatedMillis()));
  }

  private static String line(ListedProcess listed) {
    return "%s %s %s at %s of %s"
        .formatted(
            SessionReport.pid(listed.session(), listed.process().iteration()),
            listed.process().step(),
            SessionReport.word(listed.process().status()),
            CaseWords.time(listed.process().updatedMillis()),
            listed.graph());
  }

  private static Map<String, @Nullable Object> object(ListedProcess listed) {
    Map<String, @Nullable Object> all =
        JsonWriter.object(
            "owner", listed.session().owner(),
            "sessionId", listed.session().number(),
            "ostcId", listed.graph(),
            "ostcHash", listed.graphHash());
    all.putAll(SessionReport.json(listed.session(), listed.process()));
    return all;
  }

  private static String line(WakeTarget target) {
    String missing =
        String.join(
            ",",
            target.fields().stream()
                .filter(WakeTarget.Field::isMissing)
                .map(field -> field.name() + ":" + field.type())
                .toList());
    String until = SessionReport.time(target.nextWakeAt());
    return "%s %s %s%s%s"
        .formatted(
            target.session().owner(),
            SessionReport.pid(target.session(), target.iteration()),
            target.step(),
            until == null ? "" : " until " + until,
            missing.isEmpty() ? "" : " needs " + missing);
  }

  private static Map<String, @Nullable Object> object(WakeTarget target) {
    return JsonWriter.object(
        "owner", target.session().owner(),
        "sessionId", target.session().number(),
        "pid", SessionReport.pid(target.session(), target.iteration()),
        "step", target.step(),
        "nextWakeAt", SessionReport.time(target.nextWakeAt()),
        "fields", target.fields().stream().map(SessionsCommand::object).toList());
  }

  private static Map<String, @Nullable Object> object(WakeTarget.Field field) {
    return JsonWriter.object(
        "name", field.name(),
        "type", field.type(),
        "required", field.isRequired(),
        "present", field.isPresent(),
        "default", field.fallback(),
        "missing", field.isMissing());
  }
}
