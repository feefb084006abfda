package dev.damask.verify.pnml;

import java.util.List;

/// A place/transition net as plain data. Arcs name places by their index.
public record PetriNet(String name, List<Place> places, List<Transition> transitions) {
  /// A place. The name is for people, the id is that of the file.
  public record Place(String id, String name, int tokens) {
    public Place {
      if (tokens < 0) {
        throw new IllegalArgumentException(
            "place " + id + ": tokens must not be negative, got " + tokens);
      }
    }
  }

  /// A transition with its arcs. The name is for people, the id is that of the file.
  public record Transition(String id, String name, List<Arc> inputs, List<Arc> outputs) {
    public Transition {
      inputs = List.copyOf(inputs);
      outputs = List.copyOf(outputs);
    }
  }

  /// The number of tokens that a transition consumes from or produces to a place.
  public record Arc(int place, int weight) {
    public Arc {
      if (weight < 1) {
        throw new IllegalArgumentException(
            "the weight of an arc must be at least 1, got " + weight);
      }
    }
  }

  public PetriNet {
    places = List.copyOf(places);
    transitions = List.copyOf(transitions);
    for (Transition transition : transitions) {
      requirePlaces(transition.id(), transition.inputs(), places.size());
      requirePlaces(transition.id(), transition.outputs(), places.size());
    }
  }

  private static void requirePlaces(String transition, List<Arc> arcs, int places) {
    for (Arc arc : arcs) {
      if (arc.place() < 0 || arc.place() >= places) {
        throw new IllegalArgumentException(
            "transition " + transition + " has an arc to place " + arc.place() + " of " + places);
      }
    }
  }
}
