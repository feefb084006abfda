package dev.damask.routes;

import dev.damask.api.ApiReply;
import dev.damask.api.Authenticator;
import dev.damask.api.Desk;
import dev.damask.api.OpenApi;
import dev.damask.api.Route;
import dev.damask.api.RouteAccess;
import dev.damask.api.RouteReach;
import dev.damask.api.RouteTable;
import java.util.ArrayList;
import java.util.List;

/// All routes of the API.
public final class Api {
  private Api() {}

  /// Returns the table of routes.
  public static RouteTable table(Desk desk, Authenticator authenticator) {
    List<Route> all = new ArrayList<>();
    Computing computing = new Computing(); // shared by all routes that compute
    all.addAll(new SelfRoutes(desk, authenticator).routes());
    all.addAll(new WorkflowRoutes(desk).routes());
    all.addAll(new DocumentRoutes(desk, computing).routes());
    all.addAll(new CaseRoutes(desk).routes());
    all.addAll(new SummaryRoutes(desk).routes());
    all.addAll(new HistoryRoutes(desk, computing).routes());
    all.addAll(new ActionRoutes(desk).routes());
    all.addAll(new BulkRoutes(desk).routes());
    all.addAll(new MigrationRoutes(desk).routes());
    all.addAll(new OpsRoutes(desk).routes());
    all.addAll(new SystemRoutes(desk).routes());
    all.addAll(new EventRoutes(desk).routes());
    all.addAll(new TaskRoutes(desk).routes());
    all.addAll(new SessionRoutes(desk).routes());
    all.addAll(new OrchestrationRoutes(desk).routes());
    all.addAll(new AuditRoutes(desk).routes());
    List<Route> described = new ArrayList<>();
    all.add(
        Route.get("/v1/openapi.json", "Returns this description.")
            .access(RouteAccess.ANY)
            .reach(RouteReach.NONE)
            .example("/v1/openapi.json", "")
            .to(_ -> ApiReply.ok(OpenApi.of(described))));
    all.forEach(each -> described.add(Answers.described(each)));
    return new RouteTable(described);
  }
}
