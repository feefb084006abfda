/// The effect type `http`: requests to allowed hosts, on sockets that the egress guard has checked.
@org.jspecify.annotations.NullMarked
module dev.damask.effects.http {
  requires static transitive org.jspecify;
  requires transitive dev.damask.engine;

  exports dev.damask.http;
}
