package dev.damask.door;

import dev.damask.api.ApiReply;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The answer of a door: what an HTTP server writes.
///
/// @param headers all headers of the answer
/// @param bytes the body; empty if the answer is a stream
/// @param stream writes the body piece by piece; null if the body is `bytes`
@SuppressWarnings("ArrayRecordComponent") // compared nowhere
public record DoorReply(
    int status, Map<String, String> headers, byte[] bytes, ApiReply.@Nullable Writer stream) {
  public DoorReply {
    headers = Map.copyOf(headers);
  }
}
