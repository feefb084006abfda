package dev.damask.api;

import dev.damask.json.Json;
import dev.damask.store.CaseRecord;
import dev.damask.value.Context;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A request as its handler sees it: the caller is known, the path is matched, and the body has the
/// shape that the route requires.
///
/// @param path the values of the names in the path of the route
/// @param query the parameters of the query string that the route knows
/// @param headers by lower-case name
/// @param body the object of a JSON body; empty if there is none
/// @param bytes the body as it was received
/// @param record the case that the path names; null if it names none
/// @param onceId the same for every repetition of the request; empty without an idempotency key
/// @param isStillValid whether the token has not ended since
@SuppressWarnings("ArrayRecordComponent") // compared nowhere
public record Call(
    Caller caller,
    Map<String, String> path,
    Map<String, String> query,
    Map<String, String> headers,
    Json.Fields body,
    byte[] bytes,
    @Nullable CaseRecord record,
    Optional<String> onceId,
    BooleanSupplier isStillValid) {
  private static final Pattern TAG = Pattern.compile("(?:W/)?\"([0-9]{1,18})\"");

  /// Returns the same request with an id that its repetitions share.
  Call withOnceId(String id) {
    return new Call(
        caller, path, query, headers, body, bytes, record, Optional.of(id), isStillValid);
  }

  /// Returns the id of the case that a request creates if it names none: a repeated request with
  /// the same idempotency key gets the same one.
  public String newId() {
    return onceId
        .map(each -> UUID.nameUUIDFromBytes(each.getBytes(StandardCharsets.UTF_8)))
        .orElseGet(UUID::randomUUID)
        .toString();
  }

  /// Returns the value of a name in the path.
  public String at(String name) {
    String value = path.get(name);
    if (value == null) {
      throw new IllegalStateException("the path has no " + name);
    }
    return value;
  }

  /// Returns the record of the case that the path names.
  public CaseRecord theCase() {
    if (record == null) {
      throw new IllegalStateException("the path names no case");
    }
    return record;
  }

  /// Returns a parameter of the query string.
  public Optional<String> ask(String name) {
    return Optional.ofNullable(query.get(name)).filter(each -> !each.isEmpty());
  }

  /// Returns an integer of the query string. Throws [Problem] unless it is in the range.
  public long ask(String name, long missing, long least, long most) {
    String text = query.get(name);
    if (text == null || text.isEmpty()) {
      return missing;
    }
    try {
      long value = Long.parseLong(text);
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw Problem.bad(
        "%s must be an integer between %d and %d, got '%s'"
            .formatted(name, least, most, shortened(text)));
  }

  /// Returns a string of the body.
  public Optional<String> text(String name) {
    return body.get(name) instanceof Json.Text(_, var value)
        ? Optional.of(value)
        : Optional.empty();
  }

  /// Returns a string of the body that the route requires.
  public String need(String name) {
    return text(name).orElseThrow(() -> Problem.bad(name + " is missing"));
  }

  /// Returns a boolean of the body; false if it is missing.
  public boolean flag(String name) {
    return body.get(name) instanceof Json.Flag(_, var value) && value;
  }

  /// Returns an integer of the body.
  public OptionalLong whole(String name) {
    return body.get(name) instanceof Json.Numeral number ? number.whole() : OptionalLong.empty();
  }

  /// Returns an object of the body; empty if it is missing.
  public Map<String, @Nullable Object> data(String name) {
    return body.get(name) instanceof Json.Fields fields
        ? fields.plainEntries(Json.Numeral::number)
        : Map.of();
  }

  /// Returns an object of the body as a context.
  public Context context(String name) {
    return Context.from(data(name));
  }

  /// Returns the strings of a list of the body; empty if it is missing.
  public List<String> texts(String name) {
    return body.get(name) instanceof Json.Items(_, var items)
        ? items.stream()
            .filter(Json.Text.class::isInstance)
            .map(each -> ((Json.Text) each).value())
            .toList()
        : List.of();
  }

  /// Returns a header.
  public Optional<String> header(String name) {
    return Optional.ofNullable(headers.get(name));
  }

  /// Returns the revision that the request requires. Throws [Problem] if the header is malformed.
  public OptionalLong ifMatch() {
    String text = headers.get("if-match");
    if (text == null || text.strip().equals("*")) {
      return OptionalLong.empty();
    }
    Matcher tag = TAG.matcher(text.strip());
    if (!tag.matches()) {
      throw Problem.bad(
          "If-Match must be the entity tag of a case, such as \"7\", got '"
              + shortened(text)
              + "'");
    }
    return OptionalLong.of(Long.parseLong(tag.group(1)));
  }

  /// Returns a string that is short enough for a message.
  public static String shortened(String text) {
    return text.length() > 80 ? text.substring(0, 80) + "…" : text;
  }
}
