package dev.damask.cli.cases;

import dev.damask.api.ScheduleJson;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cli.command.CaseHost;
import dev.damask.cli.command.Fields;
import dev.damask.cli.command.KeptDocuments;
import dev.damask.cli.command.OwnerView;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.ServerClient;
import dev.damask.cli.command.ServerProblem;
import dev.damask.effect.SleepEffect;
import dev.damask.json.JsonWriter;
import dev.damask.ops.ScheduleView;
import dev.damask.ops.Schedules;
import dev.damask.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The schedules of a store or a server. Objects have the fields of [ScheduleJson].
sealed interface ScheduleBook extends AutoCloseable {
  static ScheduleBook open(CaseHost host) {
    return host.open(InStore::new, AtServer::new);
  }

  List<Map<String, @Nullable Object>> list();

  Map<String, @Nullable Object> pause(String name);

  Map<String, @Nullable Object> resume(String name);

  /// Starts a case now and returns its id.
  String trigger(String name);

  void remove(String name);

  @Override
  void close();

  /// The schedules of a store that the command has opened.
  record InStore(Store store) implements ScheduleBook {
    @Override
    public List<Map<String, @Nullable Object>> list() {
      List<Map<String, @Nullable Object>> all = new ArrayList<>();
      Schedules.list(store).forEach(each -> all.add(json(each)));
      Schedules.corrupt(store)
          .forEach((name, why) -> all.add(JsonWriter.object("name", name, "corrupt", why)));
      return all;
    }

    private static Map<String, @Nullable Object> json(ScheduleView view) {
      return OwnerView.plain(ScheduleJson.of(view));
    }

    private <T> T changed(String name, Function<Schedules, T> change) {
      EngineOptions options =
          EngineOptions.defaults()
              .withOwnerService(false)
              .withSources(new KeptDocuments(store, null))
              .withHandler("sleep", new SleepEffect());
      try (Engine engine = Engine.open(options, store)) {
        return change.apply(engine.schedules());
      } catch (IllegalArgumentException | IllegalStateException e) {
        throw new Refusal("schedule " + name + ": " + e.getMessage());
      }
    }

    @Override
    public Map<String, @Nullable Object> pause(String name) {
      return json(changed(name, schedules -> schedules.pause(name)));
    }

    @Override
    public Map<String, @Nullable Object> resume(String name) {
      return json(changed(name, schedules -> schedules.resume(name)));
    }

    @Override
    public String trigger(String name) {
      return changed(name, schedules -> schedules.trigger(name));
    }

    @Override
    public void remove(String name) {
      changed(
          name,
          schedules -> {
            schedules.remove(name);
            return true;
          });
    }

    @Override
    public void close() {
      store.close();
    }
  }

  /// The schedules of a server.
  record AtServer(ServerClient server) implements ScheduleBook {
    private static final String PATH = "/v1/schedules";

    @Override
    public List<Map<String, @Nullable Object>> list() {
      return Fields.objects(server.get(PATH, Map.of()), "items");
    }

    private Map<String, @Nullable Object> act(String name, String action) {
      String path = PATH + "/" + ServerClient.segment(name);
      try {
        return action.isEmpty() ? server.delete(path) : server.post(path + "/" + action, Map.of());
      } catch (ServerProblem e) {
        String why = e.status() == 404 ? "there is no schedule " + name : e.getMessage();
        throw new Refusal("schedule " + name + ": " + why);
      }
    }

    @Override
    public Map<String, @Nullable Object> pause(String name) {
      return act(name, "pause");
    }

    @Override
    public Map<String, @Nullable Object> resume(String name) {
      return act(name, "resume");
    }

    @Override
    public String trigger(String name) {
      return Fields.text(act(name, "trigger"), "case");
    }

    @Override
    public void remove(String name) {
      act(name, "");
    }

    @Override
    public void close() {
      server.close();
    }
  }
}
