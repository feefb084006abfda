package dev.damask.cli.sessions;

import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Fields;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.Streams;
import dev.damask.json.JsonWriter;
import java.util.ArrayList;
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
        print("targets", sessions.targets(last), SessionsCommand::target);
      } else if (processes) {
        print("processes", sessions.processes(session, parent, last), SessionsCommand::process);
      } else {
        print("sessions", sessions.sessions(last), SessionsCommand::head);
      }
      return Exit.OK;
    });
  }

  private void print(
      String name,
      List<Map<String, @Nullable Object>> found,
      Function<Map<String, @Nullable Object>, String> line) {
    if (json) {
      streams.out().println(JsonWriter.line(JsonWriter.object(name, found)));
    } else {
      found.stream().map(line).forEach(streams.out()::println);
    }
  }

  private static String head(Map<String, @Nullable Object> session) {
    return "%s %s %s at %s"
        .formatted(
            session.get("sessionId"),
            session.get("ostcId"),
            session.get("status"),
            session.get("updated"));
  }

  private static String process(Map<String, @Nullable Object> listed) {
    return "%s %s %s at %s of %s"
        .formatted(
            listed.get("pid"),
            listed.get("step"),
            listed.get("status"),
            listed.get("updated"),
            listed.get("ostcId"));
  }

  private static String target(Map<String, @Nullable Object> target) {
    List<String> needed = new ArrayList<>();
    for (Map<String, @Nullable Object> field : Fields.objects(target, "fields")) {
      if (Fields.flag(field, "missing")) {
        needed.add(field.get("name") + ":" + field.get("type"));
      }
    }
    String missing = String.join(",", needed);
    Object until = target.get("nextWakeAt");
    return "%s %s %s%s%s"
        .formatted(
            target.get("owner"),
            target.get("pid"),
            target.get("step"),
            until == null ? "" : " until " + until,
            missing.isEmpty() ? "" : " needs " + missing);
  }
}
