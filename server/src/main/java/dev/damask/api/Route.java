package dev.damask.api;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One route: a row of the table that the router, the OpenAPI document and the tests are made from.
///
/// @param method such as `GET`
/// @param path such as `/v1/cases/{case}`; a name in braces stands for one segment
/// @param access the least that a caller must be
/// @param reach how the route is limited to the workflows of a token
/// @param about one sentence
/// @param query the parameters of the query string
/// @param body what the request contains; null for nothing
/// @param answer what the response contains
/// @param example a request that succeeds on the store of the tests; null if there is none
/// @param isChange whether it changes something: it takes an idempotency key and is audited
/// @param isRepeatable whether a change that was interrupted may be made again: it changes nothing
///   the second time
/// @param handler answers
public record Route(
    String method,
    String path,
    RouteAccess access,
    RouteReach reach,
    String about,
    List<Parameter> query,
    @Nullable Body body,
    Answer answer,
    @Nullable Example example,
    boolean isChange,
    boolean isRepeatable,
    Handler handler) {
  public Route {
    query = List.copyOf(query);
  }

  /// Answers requests.
  @FunctionalInterface
  public interface Handler {
    /// Answers one request. Throws [Problem] if it cannot be fulfilled.
    ApiReply handle(Call call) throws InterruptedException;
  }

  /// A parameter of the query string.
  public record Parameter(String name, String about) {}

  /// The body of a request.
  ///
  /// @param type the media type
  /// @param shape of a JSON body; null for other types
  public record Body(String type, @Nullable BodyShape shape) {}

  /// The response to a successful request.
  ///
  /// @param also another status of a success; 0 if there is none
  /// @param shape of a JSON body; null for other types
  public record Answer(int status, int also, String type, @Nullable BodyShape shape) {}

  /// A request that succeeds.
  ///
  /// @param path with values in the place of the names
  /// @param body the text of the body; empty for none
  public record Example(String path, String body) {}

  /// Returns this row with the shape of its JSON answer.
  public Route withAnswer(BodyShape shape) {
    return new Route(
        method,
        path,
        access,
        reach,
        about,
        query,
        body,
        new Answer(answer.status(), answer.also(), answer.type(), shape),
        example,
        isChange,
        isRepeatable,
        handler);
  }

  /// A media type of bodies.
  public static final String JSON = "application/json";

  /// A media type of bodies.
  public static final String YAML = "text/yaml";

  /// A media type of bodies.
  public static final String SVG = "image/svg+xml";

  /// A media type of bodies.
  public static final String EVENTS = "text/event-stream";

  /// Begins the row of a route that reads.
  public static Builder get(String path, String about) {
    return new Builder("GET", path, about);
  }

  /// Begins the row of a route that does something.
  public static Builder post(String path, String about) {
    return new Builder("POST", path, about);
  }

  /// Begins the row of a route that stores something.
  public static Builder put(String path, String about) {
    return new Builder("PUT", path, about);
  }

  /// Begins the row of a route that removes something.
  public static Builder delete(String path, String about) {
    return new Builder("DELETE", path, about);
  }

  /// Collects the parts of a row.
  public static final class Builder {
    private final String method;
    private final String path;
    private final String about;
    private final List<Parameter> query = new ArrayList<>();
    private RouteAccess access = RouteAccess.VIEWER;
    private RouteReach reach;
    private @Nullable Body body;
    private Answer answer = new Answer(200, 0, JSON, BodyShape.ANY);
    private @Nullable Example example;
    private boolean isChange;
    private boolean isRepeatable;

    Builder(String method, String path, String about) {
      this.method = method;
      this.path = path;
      this.about = about;
      this.isChange = !method.equals("GET");
      this.isRepeatable = !method.equals("POST");
      this.reach =
          path.contains("{case}")
              ? RouteReach.CASE
              : path.contains("{workflow}") ? RouteReach.WORKFLOW : RouteReach.FILTERED;
    }

    /// Sets the least that a caller must be; viewer without it.
    public Builder access(RouteAccess least) {
      this.access = least;
      return this;
    }

    /// Sets how the route is limited to the workflows of a token.
    public Builder reach(RouteReach limit) {
      this.reach = limit;
      return this;
    }

    /// Adds a parameter of the query string.
    public Builder query(String name, String sentence) {
      query.add(new Parameter(name, sentence));
      return this;
    }

    /// Sets the fields of a JSON body.
    public Builder body(BodyShape.Field... fields) {
      this.body = new Body(JSON, BodyShape.of(fields));
      return this;
    }

    /// Sets a body of another media type.
    public Builder text(String type) {
      this.body = new Body(type, null);
      return this;
    }

    /// Sets the status of a JSON answer.
    public Builder answer(int status) {
      this.answer = new Answer(status, 0, JSON, BodyShape.ANY);
      return this;
    }

    /// Sets the two statuses of a JSON answer.
    public Builder answer(int status, int also) {
      this.answer = new Answer(status, also, JSON, BodyShape.ANY);
      return this;
    }

    /// Sets another media type of the answer.
    public Builder answer(String type) {
      this.answer = new Answer(200, 0, type, null);
      return this;
    }

    /// Sets a request that succeeds.
    public Builder example(String examplePath, String exampleBody) {
      this.example = new Example(examplePath, exampleBody);
      return this;
    }

    /// A request with a body that changes nothing, such as a check.
    public Builder computes() {
      this.isChange = false;
      return this;
    }

    /// A change that changes nothing the second time, if its request has an idempotency key.
    public Builder repeatable() {
      this.isRepeatable = true;
      return this;
    }

    /// Completes the row.
    public Route to(Handler handler) {
      return new Route(
          method,
          path,
          access,
          reach,
          about,
          query,
          body,
          answer,
          example,
          isChange,
          isRepeatable,
          handler);
    }
  }
}
