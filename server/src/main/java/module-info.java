/// The HTTP API of an engine, and the server that offers it together with the inspector.
@org.jspecify.annotations.NullMarked
module dev.damask.server {
  requires static transitive org.jspecify;
  requires transitive dev.damask.engine;
  requires transitive dev.damask.json;
  requires transitive dev.damask.document;
  requires dev.damask.drawing;
  requires dev.damask.inspector;
  requires transitive dev.damask.orchestration;
  requires dev.damask.scenario;
  requires transitive dev.damask.verify;
  requires io.helidon.common;
  requires io.helidon.common.tls;
  requires io.helidon.http;
  requires io.helidon.http.media;
  requires io.helidon.webserver;
  requires java.net.http;

  exports dev.damask.api;
  exports dev.damask.door;
  exports dev.damask.routes;
  exports dev.damask.server;

  provides dev.damask.cases.OwnerService with
      dev.damask.server.OwnerDoor;
}
